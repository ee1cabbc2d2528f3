// Set-up for recovery tests: a book on a development chain, and its keys, with which another party signs too (the lost
// server, or a person).

import { accountPath, accountPaths } from '../../../src/custody/keys/account-keys.ts';
import { createPayoutSetup, OUTSIDE, type PayoutSetup } from '../payout-setup.fixture.ts';
import { createRestorable, type Book, type Restorable } from './restored/book.fixture.ts';

export const ETHER = 10n ** 18n;
export const UNIT = 1_000_000n;
const PATHS = accountPaths(accountPath('evm'));
export const HOT = PATHS.wallet(0);
export const GAS = PATHS.wallet(1);
export const DEPOSIT = (index: number) => PATHS.deposit(index);
/** An address outside the gateway that holds nothing at first. */
export const EXCHANGE = `0x${'e8'.repeat(20)}`;

interface ByHand {
  readonly to: string;
  readonly amount: bigint;
  readonly currency?: string;
  readonly path?: string;
  /** Replaces the waiting transaction with that nonce. */
  readonly nonce?: number;
}

export interface RecoverySetup {
  readonly stage: PayoutSetup;
  readonly restorable: Restorable;
  readonly book: Book;
  keyOf(path: string): Promise<string>;
  settle(book?: Book): Promise<void>;
  withdraw(currency: string, amount: string, address: string): Promise<{ id: string }>;
  /** Mines blocks without our transactions and lets the gateway look at each; with 0 it only looks. */
  blocks(count: number, book?: Book): Promise<void>;
  /** Spends with our key, and mines that. */
  spend(byHand: ByHand): Promise<string>;
  /** Deploys a contract with this code. */
  contract(code: string): Promise<string>;
  status(book: Book, id: string): Promise<string | null | undefined>;
  /** A payout of 1 ETH whose transaction is not mined. */
  waiting(address: string): Promise<{ id: string; hash: string; nonce: number }>;
  stop(): Promise<void>;
}

/** Its hot wallet holds 20 ETH and 100 USDT, and has made two payouts. */
export async function createRecoverySetup(): Promise<RecoverySetup> {
  const stage = await createPayoutSetup();
  const { deps, signer, adapter, dev, setup } = stage;
  const restorable = await createRestorable({ deps, signer, devChain: dev, url: setup.url, network: 'ETH' });
  const main = restorable.book;
  const shop = await setup.merchant();
  let serial = 0xf0bad;
  const keyOf = async (path: string) => adapter.addressOf(await signer.publicKey(path)).key;
  const settle = (book = main) => stage.settle(book.sender(), book.watcher);
  const withdraw = (currency: string, amount: string, address: string) =>
    main.withdraw({ merchantId: shop, currency, amount, address });

  async function blocks(count: number, book = main): Promise<void> {
    await stage.settle(book.sender({ devChain: undefined }), book.watcher);
    for (let block = 0; block < count; block += 1) {
      await dev.mine(1);
      stage.pass(1);
      await stage.settle(book.sender({ devChain: undefined }), book.watcher);
    }
  }

  async function spend({ to, amount, currency = 'ETH', path = HOT, nonce }: ByHand): Promise<string> {
    const from = await keyOf(path);
    const request = { from, to, currency, amount };
    const quote = await adapter.quote(request);
    const maxPerGas = 4n * quote.fees.maxPerGas;
    const unsigned = adapter.buildTransaction({
      ...{ ...request, nonce: nonce ?? (await adapter.nonces([from])).get(from) ?? 0 },
      quote: { ...quote, fees: { maxPerGas, tipPerGas: quote.fees.tipPerGas === null ? null : maxPerGas } },
    });
    const [part] = unsigned.toSign;
    const { raw, txHash } = unsigned.finish([await signer.sign(path, part?.message ?? new Uint8Array())]);
    await stage.node('eth_sendRawTransaction', raw);
    await dev.mine(1);
    return txHash;
  }

  await stage.pay(await stage.order(shop, 'ETH'), 'ETH', 10n * ETHER);
  await stage.pay(await stage.order(shop), 'USDT', 200n * UNIT);
  await withdraw('ETH', '0.5', OUTSIDE);
  await withdraw('USDT', '100', OUTSIDE);
  await settle();
  const hot = await keyOf(HOT);
  await dev.deposit({ address: hot, currency: 'ETH', amount: 20n * ETHER, confirmations: 1 });
  await dev.deposit({ address: hot, currency: 'USDT', amount: 100n * UNIT, confirmations: 1 });
  await settle();
  return {
    ...{ stage, restorable, book: main, keyOf, settle, withdraw, blocks, spend },
    contract: async (code) => {
      const address = `0x${(serial++).toString(16).padStart(40, '0')}`;
      await stage.node('anvil_setCode', address, code);
      return adapter.parseAddress(address)?.address ?? '';
    },
    status: async (book, id) => (await book.payout(id))?.status,
    waiting: async (address) => {
      const { id } = await withdraw('ETH', '1', address);
      await blocks(0);
      const [row] = await main.sql<{ hash: string; nonce: string }>(
        'select tx_hash as hash, nonce::text from transfer where payout_id = $1',
        [id],
      );
      return { id, hash: row?.hash ?? '', nonce: Number(row?.nonce) };
    },
    stop: async () => {
      await restorable.stop();
      await stage.stop();
    },
  };
}
