// The book's side of payouts: reserve first, then book what left, or give back what did not.

import { postLedger } from '../database/queries/post-ledger.ts';
import { query, type EntityManager } from '../database/connection.ts';
import { assetOf, type Asset } from '../values/assets.ts';
import { GatewayError } from '../values/errors.ts';
import { newId } from '../values/id.ts';
import { account, GATEWAY, min, posting } from './ledger.ts';

/** The figures of a payout that the book needs. Amounts in base units. */
export interface PayoutFigures {
  readonly id: string;
  readonly merchantId: string;
  readonly paymentId: string | null;
  readonly currency: string;
  readonly network: string;
  readonly amount: bigint;
  readonly networkFee: bigint;
}

function accountsOf(asset: Asset, merchantId: string) {
  return {
    available: account(merchantId, 'available', asset),
    reserved: account(merchantId, 'reserved', asset),
    receivable: account(merchantId, 'receivable', asset),
    costs: account(GATEWAY, 'costs', asset),
    custody: account(GATEWAY, 'custody', asset),
  };
}

function transactionOf(payout: PayoutFigures, step: string, at: Date) {
  return { id: newId('ltx', at.getTime()), reference: `${step}/${payout.id}`, paymentId: payout.paymentId, at };
}

/** Sets amount and network fee aside. Throws 4001 when what is available does not cover them, however many run at once. */
export async function reservePayout(em: EntityManager, payout: PayoutFigures, now: Date): Promise<void> {
  const { available, reserved } = accountsOf(assetOf(payout), payout.merchantId);
  const total = payout.amount + payout.networkFee;
  await postLedger(em, transactionOf(payout, 'reserve', now), [available, reserved], (balanceOf) => {
    if (balanceOf(available) < total) throw new GatewayError('INSUFFICIENT_FUNDS');
    return [posting(available, reserved, total)];
  });
}

/** Gives back what was set aside; what the merchant owes is settled out of it first. False when it was done before. */
export function releasePayout(em: EntityManager, payout: PayoutFigures, now: Date): Promise<boolean> {
  const { available, reserved, receivable } = accountsOf(assetOf(payout), payout.merchantId);
  const total = payout.amount + payout.networkFee;
  const accounts = [available, reserved, receivable];
  return postLedger(em, transactionOf(payout, 'release', now), accounts, (balanceOf) => [
    posting(reserved, available, total),
    posting(available, receivable, min(-balanceOf(receivable), total)),
  ]);
}

/** Books what left: the amount to the outside, the network fee to the gateway's costs account. False when done before. */
export function bookPayout(em: EntityManager, payout: PayoutFigures, now: Date): Promise<boolean> {
  const { reserved, costs, custody } = accountsOf(assetOf(payout), payout.merchantId);
  return postLedger(em, transactionOf(payout, 'payout', now), [reserved, costs, custody], () => [
    posting(reserved, custody, payout.amount),
    posting(reserved, costs, payout.networkFee),
  ]);
}

/** What the chain took for one of our transactions. `turn` counts its confirmations: more than 1 after a reorganisation. */
export interface TransactionCost {
  readonly txHash: string;
  readonly coin: Asset;
  readonly amount: bigint;
  readonly turn: number;
}

/** Books what the chain took for one of our transactions, in the network's coin. False when done before. */
export function bookCost(em: EntityManager, cost: TransactionCost, now: Date): Promise<boolean> {
  return postCost(em, 'cost', cost, now);
}

/** Takes a cost back: the block that it was paid in left the chain. False when done before. */
export function reverseCost(em: EntityManager, cost: TransactionCost, now: Date): Promise<boolean> {
  return postCost(em, 'cost-reversal', cost, now);
}

function postCost(
  em: EntityManager,
  step: 'cost' | 'cost-reversal',
  { txHash, coin, amount, turn }: TransactionCost,
  now: Date,
): Promise<boolean> {
  const costs = account(GATEWAY, 'costs', coin);
  const custody = account(GATEWAY, 'custody', coin);
  const [from, to] = step === 'cost' ? [costs, custody] : [custody, costs];
  const reference = `${step}/${coin.network}/${txHash}/${turn}`;
  const transaction = { id: newId('ltx', now.getTime()), reference, paymentId: null, at: now };
  return postLedger(em, transaction, [costs, custody], () => [posting(from, to, amount)]);
}

/** What is available of an asset, locked until the transaction ends. */
export async function lockAvailable(em: EntityManager, merchantId: string, asset: Asset): Promise<bigint> {
  const [row] = await query<{ balance: string }>(
    em,
    `select balance::text from ledger_account
     where (owner, purpose, currency, network) = ($1, 'available', $2, $3) for update`,
    [merchantId, asset.currency, asset.network],
  );
  return BigInt(row?.balance ?? 0);
}
