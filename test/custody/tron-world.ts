// Payouts on TRON's double and a real PostgreSQL: orders with addresses of a real seed, the watcher and the sender driven
// step by step, blocks mined on command, and the book held against what our addresses hold.

import { randomBytes } from 'node:crypto';
import { expect } from '@jest/globals';
import type { ChainAdapter } from '../../src/chain/adapter.ts';
import { createTronAdapter } from '../../src/chain/tron/adapter.ts';
import { verifyWallet } from '../../src/cli/wallet-verify.ts';
import { accountXpub, COIN_TYPES } from '../../src/custody/account-keys.ts';
import { createTransferSender, type SenderOptions } from '../../src/custody/send-transfers.ts';
import { createSeedSigner } from '../../src/custody/signer.ts';
import type { Chain, Deps } from '../../src/domain/deps.ts';
import { compareCustody } from '../../src/domain/compare-custody.ts';
import { requestWithdrawal } from '../../src/domain/payouts.ts';
import { verifyLedger } from '../../src/domain/verify-ledger.ts';
import type { Worker } from '../../src/loop.ts';
import { createDepositWatcher, openCursor } from '../../src/observe/watch-deposits.ts';
import { startTronDouble, type TronDouble } from '../doubles/tron/double.ts';
import { createWorld, type Order, type World } from '../domain/book.ts';

export const CONFIRMATIONS = 20;
export const TRX = 1_000_000n;

export interface TransferLine {
  readonly purpose: string;
  readonly status: string;
  readonly hash: string;
  readonly currency: string;
  readonly amount: string;
}

export interface TronPayoutWorld {
  readonly world: World;
  readonly deps: Deps;
  readonly double: TronDouble;
  readonly adapter: ChainAdapter;
  readonly signer: SenderOptions['signer'];
  /** A sender, as a process that starts has one; over another adapter where one is given. */
  sender(adapter?: ChainAdapter): Worker;
  readonly watcher: Worker;
  order(merchantId: string, currency: string): Promise<Order>;
  /** Pays an order from the faucet until it is confirmed and credited. */
  pay(order: Order, currency: string, amount: bigint): Promise<void>;
  withdraw(merchantId: string, currency: string, amount: string, address: string): Promise<string>;
  payout(id: string): Promise<{ status: string; tx_hash: string | null; failure: string | null }>;
  transfers(): Promise<TransferLine[]>;
  /** Lets workers take turns, and mines a few blocks whenever they rest, until a payout is over. */
  carryOut(payoutId: string, sender: Worker): Promise<void>;
  settle(...workers: Worker[]): Promise<void>;
  holds(address: string, currency: string): Promise<bigint>;
  /** An address of somebody outside. */
  stranger(): string;
  /** The book is balanced, and agrees with the chain asset by asset; every address is one of the seed's. */
  audit(): Promise<void>;
  stop(): Promise<void>;
}

/** Its gas wallet is filled, as an operator does it. */
export async function createTronPayoutWorld(): Promise<TronPayoutWorld> {
  const world = await createWorld();
  const now = new Date(Math.ceil(Date.now() / 1_000) * 1_000);
  world.setNow(now);
  const double = await startTronDouble({ startMs: now.getTime() - 600_000 });
  const { url, chainId, contracts } = double;
  const adapter = createTronAdapter({ network: 'TRON', url, chainId, contracts, timeoutMs: 5_000 });
  const chain: Chain = { adapter, account: 'tron', requiredConfirmations: CONFIRMATIONS, networkFees: new Map() };
  const seed = randomBytes(64);
  const { xpub } = accountXpub(seed, COIN_TYPES.tron);
  const signer = createSeedSigner(seed);
  const deps: Deps = { ...world.deps, chains: new Map([['TRON' as const, chain]]) };
  await openCursor(deps, adapter);
  const watcher = createDepositWatcher(deps, chain);
  await settle(watcher);
  const sender = (its = adapter) => createTransferSender(deps, { chain: { ...chain, adapter: its }, signer });
  const holds = async (address: string, currency: string) =>
    (await adapter.balances([address], currency)).get(address) ?? 0n;
  let index = 0;

  const stage: TronPayoutWorld = {
    ...{ world, deps, double, adapter, signer, sender, watcher, settle, holds },
    order: (merchantId, currency) => {
      const { address, key } = adapter.derive(xpub, index);
      return world.order(merchantId, {
        ...{ network: 'TRON', currency, address, address_key: key, derivation_account: 'tron' },
        ...{ derivation_index: index++, required_confirmations: CONFIRMATIONS },
        ...{ created_at: now, expires_at: new Date(now.getTime() + 30 * 60_000) },
      });
    },
    pay: async ({ addressKey }, currency, amount) => {
      double.pay({ to: addressKey, currency, amount });
      double.chain.mine(CONFIRMATIONS);
      await settle(watcher);
    },
    withdraw: async (merchantId, currency, amount, address) => {
      const request = { currency, network: 'TRON', amount, address };
      return (await requestWithdrawal(deps, merchantId, request, null)).result.id;
    },
    payout: async (id) => {
      const rows = await world.sql<Awaited<ReturnType<TronPayoutWorld['payout']>>>(
        'select status, tx_hash, failure from payout where id = $1',
        [id],
      );
      if (!rows[0]) throw new Error(`There is no payout ${id}`);
      return rows[0];
    },
    transfers: () =>
      world.sql<TransferLine>(
        'select purpose, status, tx_hash as hash, currency, amount::text as amount from transfer order by created_at, nonce, id',
      ),
    carryOut: async (payoutId, its) => {
      for (let rounds = 0; rounds < 60; rounds += 1) {
        await settle(its, watcher);
        if (['COMPLETED', 'FAILED'].includes((await stage.payout(payoutId)).status)) return;
        double.chain.mine(5);
      }
      throw new Error('the payout does not come to an end');
    },
    stranger: () => adapter.derive(accountXpub(randomBytes(64), COIN_TYPES.tron).xpub, 0).address,
    audit: async () => {
      await settle(watcher);
      const comparison = await compareCustody(deps.db, adapter);
      for (const { currency, book, chain: held } of comparison?.lines ?? [])
        expect({ currency, held }).toEqual({ currency, held: book });
      expect(comparison?.lines).toHaveLength(3);
      expect((await verifyLedger(deps.db)).faults).toEqual([]);
      const { matching, difference } = await verifyWallet(deps.db, seed);
      expect({ difference, some: matching > 2 }).toEqual({ difference: null, some: true });
    },
    stop: async () => {
      await double.stop();
      await world.stop();
    },
  };
  await fillGasWallet(stage);
  return stage;
}

async function fillGasWallet({ world, double, sender, watcher }: TronPayoutWorld): Promise<void> {
  // The first round makes the wallets known.
  await settle(sender());
  const [gas] = await world.sql<{ key: string }>(`select address_key as key from sender where role = 'GAS'`);
  double.pay({ to: gas?.key ?? '', currency: 'TRX', amount: 5_000n * TRX });
  double.chain.mine(CONFIRMATIONS);
  await settle(watcher);
}

async function settle(...workers: Worker[]): Promise<void> {
  for (let rounds = 0; ; rounds += 1) {
    if (rounds > 300) throw new Error('the workers do not come to rest');
    let busy = false;
    for (const worker of workers) busy = (await worker.processNext()) || busy;
    if (!busy) return;
  }
}
