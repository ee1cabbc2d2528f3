// The ledger: double entry, append-only. A posting moves an amount of one asset from a source to a destination account.
// Custody stands for the outside world: its balance is minus what the gateway holds, so all balances sum to zero.

import {
  postEntries,
  type AccountRef,
  type LedgerEntry,
  type PostingRow,
} from '../../database/queries/ledger/post-ledger.ts';
import { query, type EntityManager } from '../../database/connection.ts';
import { feeOf } from '../../values/amount.ts';
import type { Asset } from '../../values/assets.ts';
import { newId } from '../../values/id.ts';

/** What an account is for. Merchants have the first three, the gateway has the others. */
export type AccountPurpose =
  'available' | 'reserved' | 'receivable' | 'fees' | 'costs' | 'custody' | 'capital' | 'suspense';

/**
 * A confirmed deposit to credit, or to reverse. `turn` counts its credits: above 1 if it left the chain and came back.
 */
export interface CreditedDeposit {
  readonly depositId: string;
  readonly paymentId: string;
  readonly merchantId: string;
  readonly asset: Asset;
  readonly amount: bigint;
  readonly turn: number;
}

/** The owner of the gateway's own accounts. */
export const GATEWAY = 'gateway';

/** An account by its owner, purpose and asset. */
export function account(owner: string, purpose: AccountPurpose, { currency, network }: Asset): AccountRef {
  return { owner, purpose, currency, network };
}

/** The accounts that a deposit affects. */
function accountsOf({ asset, merchantId }: CreditedDeposit) {
  return {
    custody: account(GATEWAY, 'custody', asset),
    fees: account(GATEWAY, 'fees', asset),
    available: account(merchantId, 'available', asset),
    receivable: account(merchantId, 'receivable', asset),
  };
}

/**
 * The credit of a confirmed deposit: the gross amount to the merchant, and one percent of it, rounded down, on to the
 * fees. What the merchant owes from an earlier reversal is paid from it first. Post it with `postEntries`.
 */
export function creditEntry(deposit: CreditedDeposit, now: Date): LedgerEntry {
  const fee = feeOf(deposit.amount);
  const accounts = accountsOf(deposit);
  const { custody, fees, available, receivable } = accounts;
  return {
    ...transactionOf('credit', deposit, now),
    accounts: Object.values(accounts),
    plan: (balanceOf) => [
      posting(custody, available, deposit.amount),
      posting(available, fees, fee),
      posting(available, receivable, min(-balanceOf(receivable), deposit.amount - fee)),
    ],
  };
}

/**
 * The reversal of a credit: the fee from the fees, the net amount from the available balance, and what that does not
 * cover from the merchant's receivable, so that `available` is never negative. Post it with `postEntries`.
 */
export function reversalEntry(deposit: CreditedDeposit, now: Date): LedgerEntry {
  const fee = feeOf(deposit.amount);
  const net = deposit.amount - fee;
  const accounts = accountsOf(deposit);
  const { custody, fees, available, receivable } = accounts;
  return {
    ...transactionOf('reversal', deposit, now),
    accounts: Object.values(accounts),
    plan: (balanceOf) => {
      const covered = min(balanceOf(available), net);
      return [
        posting(fees, custody, fee),
        posting(available, custody, covered),
        posting(receivable, custody, net - covered),
      ];
    },
  };
}

/** Credits one deposit. False if it was credited before. */
export async function creditDeposit(em: EntityManager, deposit: CreditedDeposit, now: Date): Promise<boolean> {
  return (await postEntries(em, [creditEntry(deposit, now)])).size > 0;
}

/** Reverses one deposit's credit. False if it was reversed before. */
export async function reverseDeposit(em: EntityManager, deposit: CreditedDeposit, now: Date): Promise<boolean> {
  return (await postEntries(em, [reversalEntry(deposit, now)])).size > 0;
}

function transactionOf(step: 'credit' | 'reversal', { depositId, paymentId, turn }: CreditedDeposit, now: Date) {
  return { id: newId('ltx', now.getTime()), reference: `${step}/${depositId}/${turn}`, paymentId, at: now };
}

/** A merchant's balance of one asset, in base units. */
export interface Balance {
  readonly currency: string;
  readonly network: string;
  readonly available: bigint;
  readonly reserved: bigint;
  readonly pending: bigint;
}

interface BalanceRow {
  currency: string;
  network: string;
  available: string;
  reserved: string;
  pending: string;
}

/** Reads a merchant's balances. `pending` is gross money seen and not yet credited, so not part of the ledger. */
export async function readBalances(em: EntityManager, merchantId: string): Promise<Balance[]> {
  return (await query<BalanceRow>(em, balancesOf('$1'), [merchantId])).map(toBalance);
}

/** What merchants have in every asset, by merchant. */
export async function readBalancesOfAll(
  em: EntityManager,
  merchantIds: readonly string[],
): Promise<ReadonlyMap<string, Balance[]>> {
  const rows = await query<BalanceRow & { owner: string }>(
    em,
    `select w.owner, b.* from unnest($1::text[]) as w(owner) cross join lateral (${balancesOf('w.owner')}) b`,
    [merchantIds],
  );
  const byOwner = Map.groupBy(rows, ({ owner }) => owner);
  return new Map([...byOwner].map(([owner, found]) => [owner, found.map(toBalance)]));
}

const balancesOf = (
  owner: string,
) => `select currency, network, sum(available)::text as available, sum(reserved)::text as reserved, sum(pending)::text as pending
     from (
       select currency, network, case purpose when 'available' then balance else 0 end as available,
         case purpose when 'reserved' then balance else 0 end as reserved, 0 as pending
       from ledger_account where owner = ${owner} and purpose in ('available', 'reserved')
       union all
       select currency, network, 0, 0, amount from deposit
       where merchant_id = ${owner} and status <> 'ORPHANED' and not credited
     ) as part group by currency, network order by network, currency`;

const toBalance = ({ currency, network, ...amounts }: BalanceRow): Balance => ({
  currency,
  network,
  available: BigInt(amounts.available),
  reserved: BigInt(amounts.reserved),
  pending: BigInt(amounts.pending),
});

/** One posting. A posting of zero is dropped. */
export function posting(source: AccountRef, destination: AccountRef, amount: bigint): PostingRow {
  return { source, destination, amount };
}

/** The smaller amount. */
export function min(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
