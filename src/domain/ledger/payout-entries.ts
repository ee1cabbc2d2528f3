// The ledger entries of payouts: reserve first, then book what was paid or release what was not; and network costs.

import { postEntries, postLedger, type LedgerEntry } from '../../database/queries/ledger/post-ledger.ts';
import { query, type EntityManager } from '../../database/connection.ts';
import type { Payout } from '../../entities/payout.ts';
import { assetOf, type Asset } from '../../values/assets.ts';
import { GatewayError } from '../../values/errors.ts';
import { newId } from '../../values/id.ts';
import type { Deps } from '../deps.ts';
import { lastRatesOf } from '../rates/last-rates.ts';
import { account, GATEWAY, min, posting } from './ledger.ts';

/** The figures of a payout that the ledger needs. Amounts in base units. */
export interface PayoutFigures {
  readonly id: string;
  /** Null for the gateway's own fees. */
  readonly merchantId: string | null;
  readonly paymentId: string | null;
  readonly currency: string;
  readonly network: string;
  readonly amount: bigint;
  readonly networkFee: bigint;
}

/** Takes the figures from a payout's row. */
export function figuresOf({ merchantId, paymentId, ...payout }: Payout): PayoutFigures {
  return { ...payout, merchantId: merchantId ?? null, paymentId: paymentId ?? null };
}

/** A payout of fees is paid from the fees account, a merchant's from their available balance. */
function accountsOf(asset: Asset, merchantId: string | null) {
  const owner = merchantId ?? GATEWAY;
  return {
    source: account(owner, merchantId === null ? 'fees' : 'available', asset),
    reserved: account(owner, 'reserved', asset),
    receivable: account(owner, 'receivable', asset),
    costs: account(GATEWAY, 'costs', asset),
    custody: account(GATEWAY, 'custody', asset),
  };
}

function transactionOf(payout: PayoutFigures, step: string, at: Date) {
  return { id: newId('ltx', at.getTime()), reference: `${step}/${payout.id}`, paymentId: payout.paymentId, at };
}

/**
 * Reserves the amounts and the network fees, of all payouts or of none. Throws 4001 if the available balance (or the
 * fees) does not cover them, however many requests run at once.
 */
export async function reservePayouts(
  { rates }: Pick<Deps, 'rates'>,
  em: EntityManager,
  payouts: readonly PayoutFigures[],
  now: Date,
): Promise<void> {
  const entries = payouts.map((payout) => reserveEntry(payout, now));
  await postEntries(em, entries, lastRatesOf(rates));
}

function reserveEntry(payout: PayoutFigures, now: Date): LedgerEntry {
  const { source, reserved } = accountsOf(assetOf(payout), payout.merchantId);
  const total = payout.amount + payout.networkFee;
  return {
    ...transactionOf(payout, 'reserve', now),
    accounts: [source, reserved],
    plan: (balanceOf) => {
      if (balanceOf(source) < total) throw new GatewayError('INSUFFICIENT_FUNDS');
      return [posting(source, reserved, total)];
    },
  };
}

/**
 * Releases what was reserved; what the merchant owes is paid from it first. If a transaction of the payout was mined
 * (`keepsFee`), the network fee goes to the gateway's costs, as for a paid one. Post it with `postEntries`.
 */
export function releaseEntry(
  payout: PayoutFigures,
  { keepsFee, now }: { readonly keepsFee: boolean; readonly now: Date },
): LedgerEntry {
  const { source, reserved, receivable, costs } = accountsOf(assetOf(payout), payout.merchantId);
  const kept = keepsFee ? payout.networkFee : 0n;
  const released = payout.amount + payout.networkFee - kept;
  const owing = payout.merchantId === null ? [] : [receivable];
  return {
    ...transactionOf(payout, 'release', now),
    accounts: [source, reserved, ...owing, ...(kept > 0n ? [costs] : [])],
    plan: (balanceOf) => [
      posting(reserved, source, released),
      posting(reserved, costs, kept),
      ...owing.map((account) => posting(source, account, min(-balanceOf(account), released))),
    ],
  };
}

/**
 * Books a paid payout: the amount leaves custody, the network fee goes to the gateway's costs. False if done before.
 */
export function bookPayout(
  { rates }: Pick<Deps, 'rates'>,
  em: EntityManager,
  payout: PayoutFigures,
  now: Date,
): Promise<boolean> {
  const { reserved, costs, custody } = accountsOf(assetOf(payout), payout.merchantId);
  const plan = () => [posting(reserved, custody, payout.amount), posting(reserved, costs, payout.networkFee)];
  return postLedger(em, transactionOf(payout, 'payout', now), [reserved, costs, custody], plan, lastRatesOf(rates));
}

/**
 * What the chain charged for one of our transactions. `turn` counts its confirmations: above 1 after a reorganisation.
 */
export interface TransactionCost {
  readonly txHash: string;
  readonly coin: Asset;
  readonly amount: bigint;
  readonly turn: number;
}

/** Books what the chain charged for one of our transactions, in the network's coin. False if done before. */
export function bookCost(em: EntityManager, cost: TransactionCost, now: Date): Promise<boolean> {
  return postCost(em, 'cost', cost, now);
}

/** Reverses a cost whose block left the chain. False if done before. */
export function reverseCost(em: EntityManager, cost: TransactionCost, now: Date): Promise<boolean> {
  return postCost(em, 'cost-reversal', cost, now);
}

/** What a token's fee kept of one of our transactions. Amount in base units; `turn` as for a cost. */
export interface TokenFeeLoss extends Omit<TransactionCost, 'coin'> {
  readonly asset: Asset;
}

/** Books what a token's fee took of our own money, in that token. False if done before. */
export function bookLoss(em: EntityManager, { asset, ...loss }: TokenFeeLoss, now: Date): Promise<boolean> {
  return postCost(em, 'loss', { ...loss, coin: asset }, now);
}

/** Reverses a loss whose block left the chain. False if done before. */
export function reverseLoss(em: EntityManager, { asset, ...loss }: TokenFeeLoss, now: Date): Promise<boolean> {
  return postCost(em, 'loss-reversal', { ...loss, coin: asset }, now);
}

function postCost(
  em: EntityManager,
  step: 'cost' | 'cost-reversal' | 'loss' | 'loss-reversal',
  { txHash, coin, amount, turn }: TransactionCost,
  now: Date,
): Promise<boolean> {
  const costs = account(GATEWAY, 'costs', coin);
  const custody = account(GATEWAY, 'custody', coin);
  const [from, to] = step === 'cost' || step === 'loss' ? [costs, custody] : [custody, costs];
  const reference = `${step}/${coin.network}/${txHash}/${turn}`;
  const transaction = { id: newId('ltx', now.getTime()), reference, paymentId: null, at: now };
  return postLedger(em, transaction, [costs, custody], () => [posting(from, to, amount)]);
}

/** The available balance of an asset, locked until the transaction ends. */
export async function lockAvailable(em: EntityManager, merchantId: string, asset: Asset): Promise<bigint> {
  const [row] = await query<{ balance: string }>(
    em,
    `select balance::text from ledger_account
     where (owner, purpose, currency, network) = ($1, 'available', $2, $3) for update`,
    [merchantId, asset.currency, asset.network],
  );
  return BigInt(row?.balance ?? 0);
}

/** The same of several assets, in the order in which whatever posts to them locks accounts: that of their ids. */
export async function lockAvailables(em: EntityManager, merchantId: string, assets: readonly Asset[]): Promise<void> {
  await query(
    em,
    `select id from ledger_account where owner = $1 and purpose = 'available'
       and (currency, network) in (select * from unnest($2::text[], $3::text[])) order by id for update`,
    [merchantId, assets.map(({ currency }) => currency), assets.map(({ network }) => network)],
  );
}
