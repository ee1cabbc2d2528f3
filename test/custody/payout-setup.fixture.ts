// Set-up for payout tests on a real development chain and a real PostgreSQL: orders with addresses of a real seed, the
// watcher and the sender driven step by step, and the book compared with what our addresses hold.

import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import type { AccountAdapter } from '../../src/chain/adapter.ts';
import { createEvmAdapter } from '../../src/chain/evm/adapter.ts';
import { createRpc } from '../../src/chain/evm/rpc.ts';
import { accountXpub, COIN_TYPES } from '../../src/custody/keys/account-keys.ts';
import { createTransactionSender, type SenderOptions } from '../../src/custody/send-transactions.ts';
import { createSeedSigner } from '../../src/custody/keys/signer.ts';
import type { Chain, Deps } from '../../src/domain/deps.ts';
import type { PayoutSnapshot } from '../../src/domain/snapshots/payout.ts';
import { requestRefund, requestWithdrawal } from '../../src/domain/payouts/request.ts';
import { verifyLedger } from '../../src/domain/ledger/verify.ts';
import type { Worker } from '../../src/loop.ts';
import { createDepositWatcher } from '../../src/observe/watch-deposits.ts';
import { createDevChain, type DevChain } from '../../src/sandbox/evm/dev-chain.ts';
import { createSetup, log, type Order, type Setup } from '../domain/book.fixture.ts';
import { NODE_TIMEOUT_MS } from '../support/node-timeout.ts';
import { runUntilIdle } from './run-until-idle.fixture.ts';

/** Anvil's second account: a recipient outside the gateway. */
export const OUTSIDE = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';

export interface PayoutRow {
  readonly status: string;
  readonly tx_hash: string | null;
  readonly failure: string | null;
  readonly held_reason: string | null;
}

export interface PayoutSetup {
  readonly setup: Setup;
  readonly deps: Deps;
  readonly dev: DevChain;
  readonly adapter: AccountAdapter;
  readonly signer: SenderOptions['signer'];
  /** A sender as in a process that has just started. */
  sender(options?: Partial<SenderOptions>, deps?: Deps): Worker;
  watcher(deps?: Deps): Worker;
  another(): Promise<Deps>;
  pass(minutes: number): void;
  order(merchantId: string, currency?: string): Promise<Order>;
  /** Pays an order from the faucet until it is confirmed and credited. */
  pay(order: Order, currency: string, amount: bigint): Promise<void>;
  withdraw(merchantId: string, currency: string, amount: string, address?: string): Promise<PayoutSnapshot>;
  refund(merchantId: string, paymentId: string, amount?: string): Promise<PayoutSnapshot>;
  payout(id: string): Promise<PayoutRow>;
  /** Runs workers in turn until all of them rest; the first error ends it. */
  settle(...workers: Worker[]): Promise<void>;
  holds(address: string, currency: string): Promise<bigint>;
  node(method: string, ...params: unknown[]): Promise<unknown>;
  /** Checks that the book is balanced and that custody equals what our addresses hold on the chain, for every asset. */
  audit(): Promise<void>;
  stop(): Promise<void>;
}

export async function createPayoutSetup(more: Partial<Chain> = {}): Promise<PayoutSetup> {
  const folder = await mkdtemp(join(tmpdir(), 'turnpike-payouts-'));
  const setup = await createSetup();
  let now = new Date(Math.ceil(Date.now() / 1_000) * 1_000 + 60_000);
  setup.setNow(now);
  const dev = await createDevChain({ dataDir: folder, log, now: () => now.getTime() });
  const { chainId, contracts, rpcUrl } = dev;
  const adapter = createEvmAdapter({
    ...{ network: 'ETH', rpcUrl, chainId, minesOnDemand: true, timeoutMs: NODE_TIMEOUT_MS, log },
    contracts: new Map<string, string | null>([['ETH', null], ...contracts]),
  });
  const chain: Chain = { adapter, account: 'evm', requiredConfirmations: 2, networkFees: new Map(), ...more };
  const seed = randomBytes(64);
  const { xpub } = accountXpub(seed, COIN_TYPES.evm);
  const signer = createSeedSigner(seed);
  const depsOf = (deps: Deps): Deps => ({
    ...deps,
    chains: new Map([['ETH' as const, chain]]),
    signals: { ...deps.signals, payouts: () => undefined },
  });
  const deps = depsOf(setup.deps);
  const watcher = (its = deps) => createDepositWatcher(its, chain);
  const main = watcher();
  await runUntilIdle(main);
  const rpc = createRpc({ network: 'ETH', url: rpcUrl, timeoutMs: NODE_TIMEOUT_MS });
  const holds = async (address: string, currency: string) =>
    (await adapter.balances([address.toLowerCase()], currency)).get(address.toLowerCase()) ?? 0n;
  let index = 0;

  return {
    ...{ setup, deps, dev, adapter, signer, watcher, settle: runUntilIdle, holds },
    sender: (options = {}, its = deps) => createTransactionSender(its, { chain, signer, devChain: dev, ...options }),
    another: async () => depsOf(await setup.another()),
    pass: (minutes) => {
      now = new Date(now.getTime() + minutes * 60_000);
      setup.setNow(now);
    },
    order: (merchantId, currency = 'USDT') => {
      const { address, key } = adapter.derive(xpub, index);
      // Created by the database's clock: the gap of a restored copy begins at its last order, not hours before.
      return setup.order(merchantId, {
        ...{ address, address_key: key, derivation_index: index++, currency },
        ...{ created_at: new Date(), expires_at: new Date(now.getTime() + 30 * 60_000) },
      });
    },
    pay: async (order, currency, amount) => {
      await dev.deposit({ address: order.addressKey, currency, amount, confirmations: 1 });
      await runUntilIdle(main);
    },
    withdraw: async (merchantId, currency, amount, address = OUTSIDE) =>
      (await requestWithdrawal(deps, merchantId, { currency, network: 'ETH', amount, address }, null)).result,
    refund: async (merchantId, paymentId, amount) =>
      (await requestRefund(deps, merchantId, { paymentId, address: OUTSIDE, ...(amount && { amount }) }, null)).result,
    payout: async (id) => {
      const [row] = await setup.sql<PayoutRow>(
        'select status, tx_hash, failure, held_reason from payout where id = $1',
        [id],
      );
      if (!row) throw new Error(`There is no payout ${id}`);
      return row;
    },
    node: (method, ...params) => rpc.call(method, params),
    audit: async () => {
      await runUntilIdle(main);
      await auditCustody(setup, adapter);
    },
    stop: async () => {
      await dev.stop();
      await setup.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function auditCustody(setup: Setup, adapter: AccountAdapter): Promise<void> {
  const [sum] = await setup.sql<{ wrong: string }>(
    `select count(*) as wrong from ledger_account a where balance <>
       (select coalesce(sum(amount), 0) from posting where destination_id = a.id)
       - (select coalesce(sum(amount), 0) from posting where source_id = a.id)`,
  );
  expect(sum).toEqual({ wrong: '0' });
  const totals = await setup.sql<{ currency: string; total: string }>(
    'select currency, sum(balance)::text as total from ledger_account group by currency',
  );
  for (const { total } of totals) expect(total).toBe('0');
  const keys = (
    await setup.sql<{ key: string }>('select address_key as key from payment union select address_key from sender')
  ).map(({ key }) => key);
  const booked = await setup.sql<{ currency: string; units: string }>(
    `select currency, (-balance)::text as units from ledger_account where purpose = 'custody' order by currency`,
  );
  expect(await verifyLedger(setup.deps.db)).toMatchObject({ faults: [] });
  await auditHoldings(setup, adapter);
  for (const { currency, units } of booked) {
    const held = [...(await adapter.balances(keys, currency)).values()].reduce((total, part) => total + part, 0n);
    expect({ currency, units: BigInt(units) }).toEqual({ currency, units: held });
  }
}

/** Checks that the book and the chain agree on each deposit address, where nothing is on its way. */
async function auditHoldings({ sql }: Setup, adapter: AccountAdapter): Promise<void> {
  const kept = await sql<{ key: string; currency: string; units: string }>(
    `select address_key as key, h.currency, units::text from holding h join payment p on p.id = payment_id
     where not exists (select from transfer t where t.status in ('SIGNED', 'BROADCAST')
         and p.address_key in (t.sender_key, t.recipient_key))
       and not exists (select from deposit d where d.payment_id = p.id
         and not (d.credited and d.block_height is not null or d.status = 'ORPHANED' and not d.credited))`,
  );
  for (const { key, currency, units } of kept)
    expect({ key, currency, units: (await adapter.balances([key], currency)).get(key) }).toEqual({
      ...{ key, currency },
      units: BigInt(units),
    });
}
