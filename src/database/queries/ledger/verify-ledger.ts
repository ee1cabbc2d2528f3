// The ledger's invariants, each as a statement that finds the first violation in the whole book. All of them read one
// snapshot. recent-checks.ts has those of them that would grow with history, for what is new.

import { query, type EntityManager } from '../../connection.ts';
import { HOLDINGS_BY_HISTORY } from './holdings.ts';

/** A check: its name, and a statement that returns a row with a `fault` in words for a violation. */
export interface LedgerCheck {
  readonly name: string;
  readonly statement: string;
}

/** A rule that does not hold, and its first violation in words. */
export interface LedgerFault {
  readonly name: string;
  readonly fault: string;
}

export const LEDGER_CHECKS: readonly LedgerCheck[] = [
  {
    name: 'every balance is the sum of its postings',
    statement: `
      select format('account %s (%s %s on %s of %s): balance %s, postings %s',
        a.id, a.purpose, a.currency, a.network, a.owner, a.balance, coalesce(s.total, 0)) as fault
      from ledger_account a left join (
        select account, sum(amount) as total from (
          select destination_id as account, amount from posting union all select source_id, -amount from posting
        ) as moves group by account
      ) s on s.account = a.id
      where a.balance <> coalesce(s.total, 0) order by a.id limit 1`,
  },
  {
    name: 'the sealed balances are the sums of the postings up to the seal',
    statement: `
      with sealed as (select posting_id from ledger_checkpoint), totals as (
        select account_id, sum(amount) as total from (
          select destination_id as account_id, amount from posting where id <= (select posting_id from sealed)
          union all
          select source_id, -amount from posting where id <= (select posting_id from sealed)
        ) as moves group by account_id
      )
      select format('account %s: sealed %s, postings %s', account_id, coalesce(s.total, 0), coalesce(t.total, 0)) as fault
      from sealed_balance s full join totals t using (account_id)
      where coalesce(s.total, 0) <> coalesce(t.total, 0) order by account_id limit 1`,
  },
  {
    name: 'all balances of an asset sum to zero',
    statement: `
      select format('%s on %s: the balances sum to %s', currency, network, sum(balance)) as fault
      from ledger_account group by currency, network having sum(balance) <> 0 limit 1`,
  },
  {
    name: 'a posting joins two accounts of one asset',
    statement: `
      select format('posting %s of %s', p.id, p.transaction_id) as fault
      from posting p join ledger_account s on s.id = p.source_id join ledger_account d on d.id = p.destination_id
      where (s.currency, s.network) <> (d.currency, d.network) order by p.id limit 1`,
  },
  {
    name: 'available and reserved are never negative, receivable never positive',
    statement: `
      select format('account %s (%s %s on %s of %s): %s', id, purpose, currency, network, owner, balance) as fault
      from ledger_account
      where (purpose in ('available', 'reserved') and balance < 0) or (purpose = 'receivable' and balance > 0)
      order by id limit 1`,
  },
  {
    name: 'what is reserved is what open payouts need',
    statement: `
      with needed as (
        select coalesce(merchant_id, 'gateway') as owner, currency, network, sum(amount + network_fee) as total from payout
        where status in ('REQUESTED', 'BROADCAST', 'AWAITING_APPROVAL') and completed_at is null group by 1, 2, 3
      ), reserved as (
        select owner, currency, network, balance as total from ledger_account where purpose = 'reserved' and balance <> 0
      )
      select format('%s on %s of %s: reserved %s, open payouts %s', currency, network, owner,
        coalesce(r.total, 0), coalesce(n.total, 0)) as fault
      from needed n full join reserved r using (owner, currency, network)
      where coalesce(r.total, 0) <> coalesce(n.total, 0) order by owner limit 1`,
  },
  {
    name: 'every payout is reserved once, and booked or released as its status says',
    statement: `
      with posted as (
        select split_part(reference, '/', 2) as id, count(*) filter (where reference like 'reserve/%') as reserved,
          count(*) filter (where reference like 'payout/%') as booked,
          count(*) filter (where reference like 'release/%') as released
        from ledger_transaction
        where reference like 'reserve/%' or reference like 'payout/%' or reference like 'release/%' group by 1
      )
      select format('payout %s (%s): %s reserved, %s booked, %s released', id, o.status, coalesce(p.reserved, 0),
        coalesce(p.booked, 0), coalesce(p.released, 0)) as fault
      from payout o full join posted p using (id)
      where (coalesce(p.reserved, 0), coalesce(p.booked, 0), coalesce(p.released, 0)) is distinct from
        (case when o.id is null then -1 else 1 end::bigint, (o.completed_at is not null)::int::bigint,
          (o.status in ('FAILED', 'REJECTED'))::int::bigint) order by id limit 1`,
  },
  {
    name: 'a failed payout keeps its network fee only where a transaction of it was mined',
    statement: `
      with kept as (
        select split_part(t.reference, '/', 2) as id, sum(p.amount) as fee
        from ledger_transaction t join posting p on p.transaction_id = t.id
        join ledger_account d on d.id = p.destination_id and d.purpose = 'costs'
        where t.reference like 'release/%' group by 1
      )
      select format('payout %s: %s of its fee of %s kept', o.id, k.fee, o.network_fee) as fault
      from kept k join payout o using (id)
      where k.fee <> o.network_fee
        or not exists (select 1 from transfer t where t.payout_id = o.id and t.turn > 0) order by o.id limit 1`,
  },
  {
    name: 'what a payment has refunded is the sum of its completed refunds',
    statement: `
      with refunds as (
        select payment_id as id, sum(amount) filter (where completed_at is not null) as completed
        from payout where payment_id is not null group by 1
      )
      select format('payment %s: refunded %s, completed refunds %s', id, p.amount_refunded, coalesce(r.completed, 0)) as fault
      from payment p left join refunds r using (id)
      where p.amount_refunded <> coalesce(r.completed, 0) order by id limit 1`,
  },
  {
    name: 'credits are the confirmed deposits',
    statement: `
      with posted as (
        select split_part(reference, '/', 2) as id, count(*) filter (where reference like 'credit/%') as credits,
          count(*) filter (where reference like 'reversal/%') as reversals
        from ledger_transaction where reference like 'credit/%' or reference like 'reversal/%' group by 1
      )
      select format('deposit %s: credited %s, %s credits and %s reversals posted', id, d.credited,
        coalesce(p.credits, 0), coalesce(p.reversals, 0)) as fault
      from deposit d full join posted p using (id)
      where (coalesce(p.credits, 0), coalesce(p.credits, 0) - coalesce(p.reversals, 0))
        is distinct from (d.credits::bigint, d.credited::int::bigint) order by id limit 1`,
  },
  {
    name: 'a confirmed deposit is credited',
    statement: `select format('deposit %s', id) as fault from deposit
      where status = 'CONFIRMED' and not credited order by id limit 1`,
  },
  {
    name: 'what a payment has confirmed is the sum of its credited deposits of its own asset',
    statement: `
      with confirmed as (
        select p.id, sum(d.amount) as total from deposit d join payment p on p.id = d.payment_id
        where d.credited and (d.currency, d.network) = (p.currency, p.network) group by p.id
      )
      select format('payment %s: confirmed %s, credited deposits %s', p.id, p.amount_confirmed, coalesce(c.total, 0)) as fault
      from payment p left join confirmed c using (id)
      where p.amount_confirmed <> coalesce(c.total, 0) order by p.id limit 1`,
  },
  {
    name: 'a receivable stands only where nothing is available',
    statement: `
      select format('%s on %s of %s: owed %s while %s is available', r.currency, r.network, r.owner, -r.balance, a.balance)
        as fault
      from ledger_account r join ledger_account a using (owner, currency, network)
      where r.purpose = 'receivable' and a.purpose = 'available' and r.balance < 0 and a.balance > 0 limit 1`,
  },
  {
    name: 'what lies at a deposit address is what came there less what left',
    statement: `
      select format('%s, %s on %s: kept as %s, by history %s', payment_id, currency, network, coalesce(h.units, 0),
        coalesce(b.units, 0)) as fault
      from holding h full join (${HOLDINGS_BY_HISTORY}) b using (payment_id, network, currency)
      where coalesce(h.units, 0) <> coalesce(b.units, 0) order by payment_id limit 1`,
  },
];

/** Runs every check; returns the first fault of each that fails. The transaction should be a snapshot. */
export async function findLedgerFaults(em: EntityManager): Promise<LedgerFault[]> {
  const faults: LedgerFault[] = [];
  for (const { name, statement } of LEDGER_CHECKS) {
    const [row] = await query<{ fault: string }>(em, statement);
    if (row) faults.push({ name, fault: row.fault });
  }
  return faults;
}
