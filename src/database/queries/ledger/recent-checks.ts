// The ledger's invariants for what is new since the last seal: the same rules and words as in verify-ledger.ts, for the
// rows of a scope. Invariants that are not here read no history, and are checked as a whole each time.

import { query, type EntityManager } from '../../connection.ts';
import type { CheckScope } from './check-scope.ts';
import { PLACES } from './holdings.ts';
import { LEDGER_CHECKS, type LedgerFault } from './verify-ledger.ts';

/** A statement with one parameter: the part of the scope that it checks. Null: only a check of the whole book can. */
type RecentCheck = { readonly of: keyof CheckScope; readonly statement: string } | null;

const OF_SCOPE = 'scope as (select distinct unnest($1::text[]) as id)';

/** SQL: the transactions of a spot `s`. Each of a scope's few spots is looked up by itself, in every part below. */
const BY_SENDER = '(select * from transfer where (network, sender_key) = (s.network, s.key) order by nonce offset 0)';

/** What an address holds by history: as `HOLDINGS_BY_HISTORY`, found by the address. */
const HOLDINGS_OF_SCOPE = `
  with ${PLACES}, ${OF_SCOPE}, owner as (
    select p.* from scope cross join lateral (
      select id, derivation_account as account, address_key as key from payment where id = scope.id offset 0) p
    union all
    select g.id, g.account, g.address_key from gap_address g where g.id = any ($1) and not exists (
      select 1 from payment p where (p.derivation_account, p.address_key) = (g.account, g.address_key) offset 0)
  ), spot as (select o.id, o.key, l.network, l.coin from owner o join place l using (account)),
  history as (
    select s.id, s.network, d.currency, d.amount as units
    from spot s cross join lateral (select * from deposit where payment_id = s.id offset 0) d
    where d.network = s.network and d.credited
    union all
    select s.id, s.network, m.currency, m.amount
    from spot s join suspense_movement m on m.payment_id = s.id and m.network = s.network
    where m.kind = 'CREDIT' and m.funding_id is null
    union all
    select s.id, s.network, f.currency, f.amount
    from spot s cross join lateral (
      select * from funding where (network, address_key) = (s.network, s.key) and purpose = 'suspense' offset 0) f
    where f.explained and not f.reversed
    union all
    select s.id, s.network, t.currency, -case when t.moved > 0 then t.moved else t.amount end
    from spot s cross join lateral ${BY_SENDER} t where t.status = 'CONFIRMED'
    union all
    select s.id, s.network, t.currency, t.amount
    from spot s cross join lateral (select * from transfer
      where (network, recipient_key) = (s.network, s.key) and purpose in ('SWEEP', 'GAS') offset 0) t
    where t.status = 'CONFIRMED'
    union all
    select s.id, s.network, s.coin, -t.cost
    from spot s cross join lateral ${BY_SENDER} t
    where t.status in ('CONFIRMED', 'FAILED') and t.payer_key is null
    union all
    select s.id, s.network, s.coin, -t.cost
    from spot s cross join lateral (
      select * from transfer where (network, payer_key) = (s.network, s.key) and payer_key is not null offset 0) t
    where t.status in ('CONFIRMED', 'FAILED')
  ), by_history as (
    select id as payment_id, network, currency, sum(units) as units from history group by 1, 2, 3
  ), held as (
    select h.* from scope s cross join lateral (select * from holding where payment_id = s.id offset 0) h
  )
  select format('%s, %s on %s: kept as %s, by history %s', payment_id, currency, network, coalesce(h.units, 0),
    coalesce(b.units, 0)) as fault
  from held h full join by_history b using (payment_id, network, currency)
  where coalesce(h.units, 0) <> coalesce(b.units, 0) order by payment_id limit 1`;

/** By the names of `LEDGER_CHECKS`. */
export const RECENT_CHECKS: Readonly<Record<string, RecentCheck>> = {
  'every balance is the sum of its postings': {
    of: 'sealedUpTo',
    statement: `
      select format('account %s (%s %s on %s of %s): balance %s, postings %s',
        a.id, a.purpose, a.currency, a.network, a.owner, a.balance, coalesce(c.total, 0) + coalesce(s.total, 0)) as fault
      from ledger_account a left join sealed_balance c on c.account_id = a.id left join (
        select account, sum(amount) as total from (
          select destination_id as account, amount from posting where id > $1
          union all
          select source_id, -amount from posting where id > $1
        ) as moves group by account
      ) s on s.account = a.id
      where a.balance <> coalesce(c.total, 0) + coalesce(s.total, 0) order by a.id limit 1`,
  },
  'the sealed balances are the sums of the postings up to the seal': null,
  'a posting joins two accounts of one asset': {
    of: 'sealedUpTo',
    statement: `
      select format('posting %s of %s', p.id, p.transaction_id) as fault
      from posting p join ledger_account s on s.id = p.source_id join ledger_account d on d.id = p.destination_id
      where p.id > $1 and (s.currency, s.network) <> (d.currency, d.network) order by p.id limit 1`,
  },
  'every payout is reserved once, and booked or released as its status says': {
    of: 'payouts',
    statement: `
      with ${OF_SCOPE}, posted as (
        select s.id, count(*) filter (where t.reference = 'reserve/' || s.id) as reserved,
          count(*) filter (where t.reference = 'payout/' || s.id) as booked,
          count(*) filter (where t.reference = 'release/' || s.id) as released
        from scope s join ledger_transaction t
          on t.reference = any (array['reserve/' || s.id, 'payout/' || s.id, 'release/' || s.id])
        group by s.id
      )
      select format('payout %s (%s): %s reserved, %s booked, %s released', id, o.status, coalesce(p.reserved, 0),
        coalesce(p.booked, 0), coalesce(p.released, 0)) as fault
      from scope left join payout o using (id) left join posted p using (id)
      where (coalesce(p.reserved, 0), coalesce(p.booked, 0), coalesce(p.released, 0)) is distinct from
        (case when o.id is null then -1 else 1 end::bigint, (o.completed_at is not null)::int::bigint,
          (o.status in ('FAILED', 'REJECTED'))::int::bigint) order by id limit 1`,
  },
  'a failed payout keeps its network fee only where a transaction of it was mined': {
    of: 'payouts',
    statement: `
      with ${OF_SCOPE}, kept as (
        select s.id, sum(p.amount) as fee
        from scope s
        cross join lateral (select id from ledger_transaction where reference = 'release/' || s.id offset 0) t
        cross join lateral (select * from posting where transaction_id = t.id offset 0) p
        join ledger_account d on d.id = p.destination_id and d.purpose = 'costs'
        group by 1
      )
      select format('payout %s: %s of its fee of %s kept', o.id, k.fee, o.network_fee) as fault
      from kept k join payout o using (id)
      where k.fee <> o.network_fee
        or not exists (select 1 from transfer t where t.payout_id = o.id and t.turn > 0) order by o.id limit 1`,
  },
  'what a payment has refunded is the sum of its completed refunds': {
    of: 'payments',
    statement: `
      with ${OF_SCOPE}
      select format('payment %s: refunded %s, completed refunds %s', id, p.amount_refunded, r.completed) as fault
      from scope join payment p using (id) cross join lateral (
        select coalesce(sum(amount), 0) as completed from payout where payment_id = p.id and completed_at is not null
      ) r
      where p.amount_refunded <> r.completed order by id limit 1`,
  },
  'credits are the confirmed deposits': {
    of: 'deposits',
    statement: `
      with ${OF_SCOPE}
      select format('deposit %s: credited %s, %s credits and %s reversals posted', id, d.credited, c.posted, r.posted)
        as fault
      from scope s left join deposit d using (id)
      cross join lateral (
        select count(*) as posted from ledger_transaction
        where reference > 'credit/' || s.id || '/' and reference < 'credit/' || s.id || '0'
      ) c cross join lateral (
        select count(*) as posted from ledger_transaction
        where reference > 'reversal/' || s.id || '/' and reference < 'reversal/' || s.id || '0'
      ) r
      where (c.posted, c.posted - r.posted) is distinct from (d.credits::bigint, d.credited::int::bigint)
      order by id limit 1`,
  },
  'a confirmed deposit is credited': {
    of: 'deposits',
    statement: `
      with ${OF_SCOPE}
      select format('deposit %s', id) as fault from scope join deposit using (id)
      where status = 'CONFIRMED' and not credited order by id limit 1`,
  },
  'what a payment has confirmed is the sum of its credited deposits of its own asset': {
    of: 'payments',
    statement: `
      with ${OF_SCOPE}
      select format('payment %s: confirmed %s, credited deposits %s', id, p.amount_confirmed, c.total) as fault
      from scope join payment p using (id) cross join lateral (
        select coalesce(sum(d.amount), 0) as total
        from (select * from deposit where payment_id = p.id offset 0) d
        where d.credited and (d.currency, d.network) = (p.currency, p.network)
      ) c
      where p.amount_confirmed <> c.total order by id limit 1`,
  },
  'what lies at a deposit address is what came there less what left': { of: 'holders', statement: HOLDINGS_OF_SCOPE },
};

/** Checks what is new; returns the first fault of each rule that fails. The transaction should be a snapshot. */
export async function findRecentFaults(em: EntityManager, scope: CheckScope): Promise<LedgerFault[]> {
  const faults: LedgerFault[] = [];
  for (const { name, statement: whole } of LEDGER_CHECKS) {
    const recent = name in RECENT_CHECKS ? RECENT_CHECKS[name] : { of: null, statement: whole };
    if (!recent) continue;
    const [row] = await query<{ fault: string }>(em, recent.statement, recent.of === null ? [] : [scope[recent.of]]);
    if (row) faults.push({ name, fault: row.fault });
  }
  return faults;
}
