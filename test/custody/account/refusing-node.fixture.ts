// Set-up for payout tests behind a node that refuses broadcasts and reports receipts as the test wants.

import { expect } from '@jest/globals';
import { createEvmAdapter } from '../../../src/chain/evm/adapter.ts';
import type { AccountAdapter } from '../../../src/chain/adapter.ts';
import { createNodePool } from '../../../src/chain/pool/node-pool.ts';
import type { Chain } from '../../../src/domain/deps.ts';
import type { Worker } from '../../../src/loop.ts';
import { defaultBounds } from '../../../src/values/payout-bounds.ts';
import { startOddNode } from '../../chain/evm/node.fixture.ts';
import { NODE_TIMEOUT_MS } from '../../support/node-timeout.ts';
import { createPayoutSetup, type PayoutSetup } from '../payout-setup.fixture.ts';

export const ETHER = 10n ** 18n;

export type Receipt = Record<string, unknown> & { readonly logs: unknown[] };

export interface Transaction {
  readonly id: string;
  readonly purpose: string;
  readonly status: string;
  readonly nonce: string;
  readonly tx_hash: string;
  readonly gas: string;
}

export interface RefusingNode {
  readonly stage: PayoutSetup;
  /** The merchant of this test. */
  readonly shop: string;
  /** What the node answers to broadcasts; null for the chain's own answer. */
  refusal: { code: number; message: string } | null;
  /** How it reports receipts. */
  retell: (receipt: Receipt) => Receipt;
  /** Broadcasts that it has refused in this test. */
  readonly refused: number;
  /** An adapter on the chain through this node. */
  adapter(): AccountAdapter;
  /** An adapter over this node and the chain's own, which must agree. */
  pool(): AccountAdapter;
  /** A sender as in live: it does not mine. */
  live(adapter?: AccountAdapter, maxCost?: bigint): Worker;
  /** A sender as in live, with some of its parts wrapped. */
  wrapped(wrap: <Part extends object>(part: Part) => Part): Worker;
  /** Places code at an unused address. */
  contract(code: string): Promise<string>;
  /** Lets blocks and time pass. */
  blocks(sender: Worker, count: number, minutes?: number): Promise<void>;
  /** A new merchant with 10 ETH and 100 USDT, as much again in the hot wallet, and a node that refuses nothing. */
  beginTest(): Promise<void>;
  /** Finishes everything that earlier tests left unfinished. */
  warm(): Promise<void>;
  /** A withdrawal that is requested a moment later, so that it comes later in the queue. */
  withdrawAfter(amount: string): ReturnType<PayoutSetup['withdraw']>;
  /** Every transaction that has a nonce of a payout. */
  transfers(payoutId: string): Promise<Transaction[]>;
  /** A payout's own transactions. */
  ofPayout(payoutId: string): Promise<Transaction[]>;
  /** How many transactions of a payout moved money. */
  mined(payoutId: string): Promise<number>;
  /** The hot wallet, and the next nonce that it gives. */
  nextNonce(): Promise<{ key: string; nonce: string }>;
  stop(): Promise<void>;
}

const tellAsIs = (receipt: Receipt): Receipt => receipt;

export async function createRefusingNode(): Promise<RefusingNode> {
  const stage = await createPayoutSetup();
  // From here on its wallets are known; each test begins by filling them.
  await stage.settle(stage.sender());
  let shop = '';
  let refused = 0;
  let serial = 0xbad900;

  const proxy = await startOddNode(stage.dev.rpcUrl, async ({ method, params }) => {
    if (method === 'eth_sendRawTransaction') {
      if (node.refusal) refused += 1;
      return node.refusal ? { error: node.refusal } : passOn(method, params);
    }
    if (method !== 'eth_getTransactionReceipt') return undefined;
    const receipt = (await stage.node(method, ...params)) as Receipt | null;
    return { result: receipt && node.retell(receipt) };
  });

  /** What the node answers to a broadcast, with refusals in its own words. */
  async function passOn(method: string, params: readonly unknown[]): Promise<object> {
    try {
      return { result: await stage.node(method, ...params) };
    } catch (error) {
      return { error: { code: -32_000, message: String(error) } };
    }
  }

  function adapterOf(rpcUrl: string): AccountAdapter {
    const { chainId, contracts } = stage.dev;
    return createEvmAdapter({
      ...{ network: 'ETH', rpcUrl, chainId, minesOnDemand: true, timeoutMs: NODE_TIMEOUT_MS },
      contracts: new Map<string, string | null>([['ETH', null], ...contracts]),
    });
  }

  function chain(): Chain {
    const found = stage.deps.chains.get('ETH');
    if (!found) throw new Error('There is no chain');
    return found;
  }

  const node: RefusingNode = {
    stage,
    refusal: null,
    retell: tellAsIs,
    get shop() {
      return shop;
    },
    get refused() {
      return refused;
    },
    adapter: () => adapterOf(proxy.url),
    pool: () =>
      createNodePool({ adapters: [proxy.url, stage.dev.rpcUrl].map(adapterOf), now: () => 0 }) as AccountAdapter,
    live: (adapter = adapterOf(proxy.url), maxCost = defaultBounds('ETH').maxCost) => {
      const payoutBounds = { ...defaultBounds('ETH'), maxCost };
      return stage.sender({ chain: { ...chain(), adapter, payoutBounds }, devChain: undefined });
    },
    wrapped: (wrap) => {
      const adapter = wrap(adapterOf(proxy.url));
      return stage.sender({ chain: { ...chain(), adapter }, devChain: undefined, signer: wrap(stage.signer) });
    },
    contract: async (code) => {
      const address = `0x${(serial++).toString(16).padStart(40, '0')}`;
      await stage.node('anvil_setCode', address, code);
      return address;
    },
    blocks: async (sender, count, minutes = 1) => {
      for (let block = 0; block < count; block += 1) {
        await stage.dev.mine(1);
        stage.pass(minutes);
        await stage.settle(sender, stage.watcher());
      }
    },
    beginTest: async () => {
      Object.assign(node, { refusal: null, retell: tellAsIs });
      refused = 0;
      stage.pass(10);
      shop = await stage.setup.merchant();
      const { key } = await node.nextNonce();
      for (const [currency, amount] of [['ETH', 10n * ETHER] as const, ['USDT', 100_000_000n] as const]) {
        await stage.pay(await stage.order(shop, currency), currency, amount);
        await stage.dev.deposit({ address: key, currency, amount, confirmations: 1 });
      }
      await stage.settle(stage.watcher());
    },
    warm: async () => {
      const { id } = await stage.withdraw(shop, 'USDT', '1');
      await stage.settle(stage.sender(), stage.watcher());
      expect(await stage.payout(id)).toMatchObject({ status: 'COMPLETED' });
    },
    withdrawAfter: (amount) => {
      stage.pass(0.1);
      return stage.withdraw(shop, 'USDT', amount);
    },
    transfers: (payoutId) =>
      stage.setup.sql<Transaction>(
        `select id, purpose, status, nonce, tx_hash, gas::text from transfer
         where (sender_key, nonce) in (select sender_key, nonce from transfer where payout_id = $1) order by id`,
        [payoutId],
      ),
    ofPayout: (payoutId) =>
      stage.setup.sql<Transaction>(
        `select id, purpose, status, nonce, tx_hash, gas::text from transfer where payout_id = $1 order by nonce, id`,
        [payoutId],
      ),
    mined: async (payoutId) => {
      const hashes = (await node.ofPayout(payoutId)).map(({ tx_hash }) => tx_hash);
      const receipts = await Promise.all(hashes.map((hash) => stage.adapter.receipt(hash)));
      return receipts.filter((receipt) => receipt?.succeeded).length;
    },
    nextNonce: async () => {
      const [row] = await stage.setup.sql<{ key: string; nonce: string }>(
        `select address_key as key, next_nonce::text as nonce from sender where role = 'HOT'`,
      );
      if (!row) throw new Error('There is no hot wallet');
      return row;
    },
    stop: async () => {
      await proxy.stop();
      await stage.stop();
    },
  };
  return node;
}
