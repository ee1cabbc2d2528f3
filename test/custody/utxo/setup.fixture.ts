// Set-up for payout tests on a real litecoind in regtest and a real PostgreSQL: orders with addresses of a real seed,
// the watcher and the sender driven step by step, and the book compared with the chain's unspent outputs.

import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import type { UtxoAdapter } from '../../../src/chain/adapter.ts';
import { createUtxoAdapter, type UtxoAdapterOptions } from '../../../src/chain/utxo/adapter.ts';
import { accountKey } from '../../../src/custody/keys/account-keys.ts';
import { createTransactionSender, type SenderOptions } from '../../../src/custody/send-transactions.ts';
import { createSeedSigner } from '../../../src/custody/keys/signer.ts';
import { compareCustody } from '../../../src/domain/ledger/reconciliation.ts';
import type { Chain, Deps } from '../../../src/domain/deps.ts';
import type { PayoutSnapshot } from '../../../src/domain/snapshots/payout.ts';
import { requestRefund, requestWithdrawal } from '../../../src/domain/payouts/request.ts';
import { verifyLedger } from '../../../src/domain/ledger/verify.ts';
import type { Worker } from '../../../src/loop.ts';
import { createDepositWatcher } from '../../../src/observe/watch-deposits.ts';
import { createLitecoinChain, type LitecoinChain } from '../../../src/sandbox/litecoin/chain.ts';
import { createSetup, log, type Order, type Setup } from '../../domain/book.fixture.ts';
import { NODE_TIMEOUT_MS } from '../../support/node-timeout.ts';
import { runUntilIdle } from '../run-until-idle.fixture.ts';

export const LITE = 100_000_000n;

export interface TransferLine {
  readonly id: string;
  readonly status: string;
  readonly tx_hash: string;
  readonly nonce: string;
  readonly raw: string;
  readonly max_per_gas: string;
}

export interface UtxoSetup {
  readonly setup: Setup;
  readonly deps: Deps;
  readonly litecoin: LitecoinChain;
  readonly adapter: UtxoAdapter;
  readonly seed: Buffer;
  /** A sender as in a process that has just started. It does not mine. */
  sender(options?: Partial<SenderOptions>, deps?: Deps): Worker;
  watcher(deps?: Deps): Worker;
  another(): Promise<Deps>;
  pass(minutes: number): void;
  order(merchantId: string): Promise<Order & { address: string }>;
  /** Pays an order from the faucet until it is confirmed and credited. */
  pay(order: { address: string }, amount: bigint): Promise<string>;
  /** Sends what waits and mines until nothing more happens. */
  finish(sender?: Worker): Promise<void>;
  withdraw(merchantId: string, amount: string, address: string): Promise<PayoutSnapshot>;
  refund(merchantId: string, paymentId: string, address: string, amount?: string): Promise<PayoutSnapshot>;
  payout(id: string): Promise<{ status: string; tx_hash: string | null }>;
  transfers(payoutId: string): Promise<TransferLine[]>;
  settle(...workers: Worker[]): Promise<void>;
  /** A new address outside the gateway, and what mined blocks paid it. */
  outside(): Promise<string>;
  received(address: string): Promise<bigint>;
  node<Answer = unknown>(method: string, ...params: unknown[]): Promise<Answer>;
  /** Checks that the book keeps its rules, and that custody equals our unspent outputs on the chain. */
  audit(): Promise<void>;
  stop(): Promise<void>;
}

export async function createUtxoSetup(
  options: Partial<UtxoAdapterOptions> = {},
  more: Partial<Chain> = {},
): Promise<UtxoSetup> {
  const folder = await mkdtemp(join(tmpdir(), 'turnpike-litecoin-'));
  const [setup, litecoin] = await Promise.all([createSetup(), createLitecoinChain({ dataDir: folder, log })]);
  let now = new Date(Math.ceil(Date.now() / 1_000) * 1_000 + 3_600_000);
  setup.setNow(now);
  const { rpcUrl: url, cookiePath } = litecoin;
  const adapter = createUtxoAdapter({
    ...{
      network: 'LTC',
      chain: 'regtest',
      kind: 'CORE',
      url,
      cookiePath,
      minesOnDemand: true,
      timeoutMs: NODE_TIMEOUT_MS,
    },
    ...options,
  });
  const chain: Chain = { adapter, account: 'ltc', requiredConfirmations: 2, networkFees: new Map(), ...more };
  const seed = randomBytes(64);
  const { xpub } = accountKey(seed, adapter.accountPath);
  const depsOf = (deps: Deps): Deps => ({ ...deps, chains: new Map([['LTC' as const, chain]]) });
  const deps = depsOf(setup.deps);
  const watcher = (its = deps) => createDepositWatcher(its, chain);
  const signer = createSeedSigner(seed);
  const sender: UtxoSetup['sender'] = (more = {}, its = deps) =>
    createTransactionSender(its, { chain, signer, ...more });
  const main = watcher();
  await runUntilIdle(main);
  const node: UtxoSetup['node'] = async <Answer>(method: string, ...params: unknown[]) =>
    (await litecoin.rpc.call(method, ...params)) as Answer;
  let index = 0;

  return {
    ...{ setup, deps, litecoin, adapter, seed, watcher, settle: runUntilIdle, sender, node },
    another: async () => depsOf(await setup.another()),
    pass: (minutes) => {
      now = new Date(now.getTime() + minutes * 60_000);
      setup.setNow(now);
    },
    order: async (merchantId) => {
      const { address, key } = adapter.derive(xpub, index);
      const order = await setup.order(merchantId, {
        ...{ address, address_key: key, derivation_index: index++, currency: 'LTC', network: 'LTC' },
        derivation_account: 'ltc',
        ...{ created_at: new Date(), expires_at: new Date(now.getTime() + 30 * 60_000) },
      });
      return { ...order, address };
    },
    pay: async ({ address }, amount) => {
      const { txHash } = await litecoin.deposit({ address, currency: 'LTC', amount, confirmations: 1 });
      await runUntilIdle(main);
      return txHash;
    },
    finish: async (its = sender()) => {
      for (let round = 0; round < 6; round += 1) {
        // Parked payouts are looked at again.
        now = new Date(now.getTime() + 15_000);
        setup.setNow(now);
        await runUntilIdle(its, main);
        await litecoin.mine(1);
        await runUntilIdle(main);
      }
      await runUntilIdle(its, main);
    },
    withdraw: async (merchantId, amount, address) =>
      (await requestWithdrawal(deps, merchantId, { currency: 'LTC', network: 'LTC', amount, address }, null)).result,
    refund: async (merchantId, paymentId, address, amount) =>
      (await requestRefund(deps, merchantId, { paymentId, address, ...(amount && { amount }) }, null)).result,
    payout: async (id) => {
      const [row] = await setup.sql<{ status: string; tx_hash: string | null }>(
        'select status, tx_hash from payout where id = $1',
        [id],
      );
      if (!row) throw new Error(`There is no payout ${id}`);
      return row;
    },
    transfers: (payoutId) =>
      setup.sql<TransferLine>(
        'select id, status, tx_hash, nonce::text, raw, max_per_gas::text from transfer where payout_id = $1 order by nonce, max_per_gas, id',
        [payoutId],
      ),
    outside: () => node<string>('getnewaddress', 'outside', 'bech32'),
    received: async (address) => {
      const text = String(await node('getreceivedbyaddress', address, 1));
      const [whole = '0', fraction = ''] = text.split('.');
      return BigInt(whole) * LITE + BigInt(fraction.padEnd(8, '0'));
    },
    audit: async () => {
      await runUntilIdle(main);
      expect(await verifyLedger(deps.db)).toMatchObject({ faults: [] });
      const comparison = await compareCustody(deps.db, adapter);
      expect(comparison?.lines.map(({ book, chain: held }) => held - book)).toEqual([0n]);
    },
    stop: async () => {
      await litecoin.stop();
      await setup.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
