// Set-up for payout tests on a chain whose blocks a test mines, and a real PostgreSQL: orders with addresses of a real
// seed, the watcher and the sender driven step by step, and the book compared with what our addresses hold.

import { randomBytes } from 'node:crypto';
import { expect } from '@jest/globals';
import type { ChainAdapter, ParsedAddress } from '../../src/chain/adapter.ts';
import { verifyWallet } from '../../src/cli/wallet/verify.ts';
import { createTransactionSender, type SenderOptions } from '../../src/custody/send-transactions.ts';
import { createSeedSigner } from '../../src/custody/keys/signer.ts';
import type { Chain, Deps } from '../../src/domain/deps.ts';
import { compareCustody } from '../../src/domain/ledger/reconciliation.ts';
import { requestWithdrawal } from '../../src/domain/payouts/request.ts';
import { verifyLedger } from '../../src/domain/ledger/verify.ts';
import type { Worker } from '../../src/loop.ts';
import { createDepositWatcher, openCursor } from '../../src/observe/watch-deposits.ts';
import { createSetup, type Order, type Setup } from '../domain/book.fixture.ts';
import { runUntilIdle } from './run-until-idle.fixture.ts';

export interface TransferLine {
  readonly purpose: string;
  readonly status: string;
  readonly hash: string;
  readonly currency: string;
  readonly amount: string;
}

/** A test chain with an adapter on it. */
export interface TestedChain {
  readonly adapter: ChainAdapter;
  readonly confirmations: number;
  /** What the gas wallet is funded with, as by an operator. */
  readonly gas: { readonly currency: string; readonly amount: bigint };
  addressAt(index: number): ParsedAddress | Promise<ParsedAddress>;
  /** Pays from a faucet; the transaction waits for a block. */
  pay(request: { to: string; currency: string; amount: bigint }): unknown;
  mine(blocks: number): unknown;
  /** The time of the newest block. */
  time(): Date;
  stop(): Promise<void>;
}

export interface ChainPayoutSetup {
  readonly setup: Setup;
  readonly deps: Deps;
  readonly adapter: ChainAdapter;
  readonly signer: SenderOptions['signer'];
  /** A sender as in a process that has just started; over another adapter if one is given. */
  sender(adapter?: ChainAdapter): Worker;
  readonly watcher: Worker;
  order(merchantId: string, currency: string): Promise<Order>;
  /** Pays an order from the faucet until it is confirmed and credited. */
  pay(order: Order, currency: string, amount: bigint): Promise<void>;
  withdraw(merchantId: string, currency: string, amount: string, address: string): Promise<string>;
  payout(id: string): Promise<{ status: string; tx_hash: string | null; failure: string | null }>;
  transfers(): Promise<TransferLine[]>;
  /** Runs workers in turn, and mines a few blocks whenever they rest, until a payout has ended. */
  carryOut(payoutId: string, sender: Worker): Promise<void>;
  settle(...workers: Worker[]): Promise<void>;
  mine(blocks: number): void;
  /** Lets time pass. */
  pass(minutes: number): void;
  holds(address: string, currency: string): Promise<bigint>;
  /**
   * Checks that the book is balanced, agrees with the chain for every asset, and that every address is one of the
   * seed's.
   */
  audit(): Promise<void>;
  stop(): Promise<void>;
}

/** Opens a chain at a moment, for a seed, and funds its gas wallet. */
export async function createChainPayoutSetup<Tested extends TestedChain>(
  open: (now: Date, seed: Uint8Array) => Promise<Tested>,
  more: Partial<Chain> = {},
): Promise<ChainPayoutSetup & { readonly tested: Tested }> {
  const setup = await createSetup();
  const now = new Date(Math.ceil(Date.now() / 1_000) * 1_000);
  setup.setNow(now);
  const seed = randomBytes(64);
  const tested = await open(now, seed);
  const { adapter, confirmations } = tested;
  const { network, account } = adapter;
  const chain: Chain = { adapter, account, requiredConfirmations: confirmations, networkFees: new Map(), ...more };
  const signer = createSeedSigner(seed);
  const deps: Deps = { ...setup.deps, chains: new Map([[network, chain]]) };
  await openCursor(deps, adapter);
  const watcher = createDepositWatcher(deps, chain);
  await runUntilIdle(watcher);
  const sender = (its = adapter) => createTransactionSender(deps, { chain: { ...chain, adapter: its }, signer });
  /** No block is dated ahead of our clock. */
  const mine = (blocks: number) => {
    tested.mine(blocks);
    if (tested.time() > deps.clock.now()) setup.setNow(tested.time());
  };
  let index = 0;

  const stage: ChainPayoutSetup & { readonly tested: Tested } = {
    ...{ tested, setup, deps, adapter, signer, sender, watcher, settle: runUntilIdle },
    mine,
    pass: (minutes) => setup.setNow(new Date(deps.clock.now().getTime() + minutes * 60_000)),
    holds: async (address, currency) => {
      if (adapter.model !== 'ACCOUNT') throw new Error('Money belongs to accounts here');
      return (await adapter.balances([address], currency)).get(address) ?? 0n;
    },
    order: async (merchantId, currency) => {
      const { address, key } = await tested.addressAt(index);
      return setup.order(merchantId, {
        ...{ network, currency, address, address_key: key, derivation_account: account },
        ...{ derivation_index: index++, required_confirmations: confirmations },
        ...{ created_at: now, expires_at: new Date(now.getTime() + 30 * 60_000) },
      });
    },
    pay: async ({ addressKey }, currency, amount) => {
      tested.pay({ to: addressKey, currency, amount });
      mine(confirmations);
      await runUntilIdle(watcher);
    },
    withdraw: async (merchantId, currency, amount, address) => {
      const request = { currency, network, amount, address };
      return (await requestWithdrawal(deps, merchantId, request, null)).result.id;
    },
    payout: async (id) => {
      const rows = await setup.sql<Awaited<ReturnType<ChainPayoutSetup['payout']>>>(
        'select status, tx_hash, failure from payout where id = $1',
        [id],
      );
      if (!rows[0]) throw new Error(`There is no payout ${id}`);
      return rows[0];
    },
    transfers: () =>
      setup.sql<TransferLine>(
        'select purpose, status, tx_hash as hash, currency, amount::text as amount from transfer order by created_at, nonce, id',
      ),
    carryOut: async (payoutId, its) => {
      for (let rounds = 0; rounds < 60; rounds += 1) {
        await runUntilIdle(its, watcher);
        if (['COMPLETED', 'FAILED'].includes((await stage.payout(payoutId)).status)) return;
        mine(5);
        // Parked payouts are looked at again.
        setup.setNow(new Date(deps.clock.now().getTime() + 15_000));
      }
      throw new Error('the payout does not come to an end');
    },
    audit: async () => {
      await runUntilIdle(watcher);
      const comparison = await compareCustody(deps.db, adapter);
      for (const { currency, book, chain: held } of comparison?.lines ?? [])
        expect({ currency, held }).toEqual({ currency, held: book });
      expect(comparison?.lines).toHaveLength(3);
      expect((await verifyLedger(deps.db)).faults).toEqual([]);
      const { matching, difference } = await verifyWallet(deps.db, seed);
      expect({ difference, some: matching > 2 }).toEqual({ difference: null, some: true });
    },
    stop: async () => {
      await tested.stop();
      await setup.stop();
    },
  };
  await fillGasWallet(stage);
  return stage;
}

async function fillGasWallet(stage: ChainPayoutSetup & { readonly tested: TestedChain }): Promise<void> {
  const { setup, tested, sender, watcher } = stage;
  // The first round registers the wallets.
  await runUntilIdle(sender());
  const [gas] = await setup.sql<{ key: string }>(`select address_key as key from sender where role = 'GAS'`);
  tested.pay({ to: gas?.key ?? '', ...tested.gas });
  tested.mine(tested.confirmations);
  await runUntilIdle(watcher);
}
