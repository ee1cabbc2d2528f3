// Payouts in the domain's tests: a shop with money, its requests, and the steps of the signer.

import { expect } from '@jest/globals';
import { createEvmAdapter } from '../../../src/chain/evm/adapter.ts';
import { query } from '../../../src/database/connection.ts';
import { inTransaction, type Chain, type Deps } from '../../../src/domain/deps.ts';
import { completePayout, failPayout, markBroadcast } from '../../../src/domain/payouts/lifecycle.ts';
import { requestRefund, requestWithdrawal, type WithdrawalRequest } from '../../../src/domain/payouts/request.ts';
import type { PayoutSnapshot } from '../../../src/domain/snapshots/payout.ts';
import type { ErrorName } from '../../../src/values/errors.ts';
import { log, newHash, pay, type DataChain, type Order, type Setup } from '../book.fixture.ts';

export const RECIPIENT = '0x1111111111111111111111111111111111111111';

/**
 * Dependencies that know the ETH network. Its node is never asked: addresses are parsed without it. `fee` in units of
 * USDT.
 */
export function withNetwork(deps: Deps, fee = 0n): Deps {
  const adapter = createEvmAdapter({
    ...{ network: 'ETH', rpcUrl: 'http://127.0.0.1:1', chainId: 31_337, minesOnDemand: true, timeoutMs: 100, log },
    contracts: new Map([
      ['ETH', null],
      ['USDT', '0x2222222222222222222222222222222222222222'],
    ]),
  });
  const chain: Chain = { adapter, account: 'evm', requiredConfirmations: 2, networkFees: new Map([['USDT', fee]]) };
  return { ...deps, chains: new Map([['ETH' as const, chain]]) };
}

/** USDT on ETH, amounts in decimals. */
export async function withdraw(
  deps: Deps,
  merchantId: string,
  amount: string,
  fields: Partial<WithdrawalRequest> = {},
): Promise<PayoutSnapshot> {
  const request = { currency: 'USDT', network: 'ETH', amount, address: RECIPIENT, ...fields };
  return (await requestWithdrawal(deps, merchantId, request, null)).result;
}

/** A refund of an order: all that is refundable unless an amount is given. */
export async function refund(
  deps: Deps,
  { id, merchantId }: Order,
  amount: string | null = null,
): Promise<PayoutSnapshot> {
  return (await requestRefund(deps, merchantId, { paymentId: id, address: RECIPIENT, amount }, null)).result;
}

type Named = Pick<PayoutSnapshot, 'id'>;

/** The signer's steps, each in a transaction of its own. */
export const broadcast = (deps: Deps, { id }: Named, hash = newHash()): Promise<void> =>
  inTransaction(deps, (em) => markBroadcast(deps, em, id, hash));
export const complete = (deps: Deps, { id }: Named, hash = newHash()): Promise<void> =>
  inTransaction(deps, (em) => completePayout(deps, em, id, hash));
export const fail = (deps: Deps, { id }: Named, reverted = false): Promise<void> =>
  inTransaction(deps, (em) => failPayout(deps, em, id, 'a test says so', { reverted }));

/** A transaction of a payout was mined and moved nothing; the chain's fee for it is ignored. */
export async function mineInVain(deps: Deps, { id }: Named): Promise<void> {
  await query(
    deps.db.em,
    `insert into transfer (id, network, purpose, payout_id, sender_key, sender_path, recipient_key, currency, amount, nonce,
       gas, max_per_gas, max_cost, raw, tx_hash, status, block_height, block_hash, cost, turn, created_at)
     select 'trf_' || $2, network, 'PAYOUT', id, '0xaa', '', address, currency, amount,
       (select count(*) from transfer), 1, 1, 0, '', $2, 'FAILED', 0, '', 0, 1, created_at from payout where id = $1`,
    [id, newHash()],
  );
}

/** Pays an order and confirms it; amounts in units. */
export async function deposit(chain: DataChain, order: Order, amount: bigint): Promise<void> {
  await chain.mine(pay(order, amount));
  await chain.mineEmpty(1);
}

/** Removes for good the newest two blocks, in which a deposit was just confirmed. */
export async function loseForGood(chain: DataChain): Promise<void> {
  await chain.rollBack(2);
  await chain.mineEmpty(2);
}

export async function statusOf({ sql }: Setup, { id }: Named): Promise<string | undefined> {
  return (await sql<{ status: string }>('select status from payout where id = $1', [id]))[0]?.status;
}

/** Runs a request many times at once: returns how many succeeded; all others must fail for this reason. */
export async function countThrough(
  times: number,
  work: (nth: number) => Promise<unknown>,
  reason: ErrorName,
): Promise<number> {
  const settled = await Promise.allSettled(Array.from({ length: times }, (_, nth) => work(nth)));
  const refused = settled.filter((outcome) => outcome.status === 'rejected');
  for (const { reason: error } of refused) expect(error).toMatchObject({ errorName: reason });
  return times - refused.length;
}
