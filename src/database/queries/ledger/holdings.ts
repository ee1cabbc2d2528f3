// Holdings: what the book says each deposit address holds of each asset, on networks with accounts. Maintained in the
// transactions that change them, so that finding the largest stays fast however many there are. The chain decides what
// an address really holds. Money in suspense is not included. A gap address, which a lost order may have, is kept like
// a payment's, under its own id.

import { hasAccounts, NETWORKS, type Network } from '../../../values/assets.ts';
import { query, type EntityManager } from '../../connection.ts';

/** A deposit address that should hold money, and its derivation index. */
export interface Holder {
  readonly addressKey: string;
  readonly index: number;
}

/** Money that came to the address of a payment or, if negative, left it; in base units. */
export interface HoldingChange {
  readonly paymentId: string;
  /** Where the money is. May differ from the payment's network. */
  readonly network: Network;
  readonly currency: string;
  readonly units: bigint;
}

/** The same, by the address's key. */
export interface AddressChange {
  readonly addressKey: string;
  readonly currency: string;
  readonly units: bigint;
}

const UPSERT = `on conflict (payment_id, network, currency) do update set units = holding.units + excluded.units`;

/** Updates the holdings of payments. Call it once everything else that the transaction needs is locked. */
export async function changeHoldings(em: EntityManager, changes: readonly HoldingChange[]): Promise<void> {
  const kept = changes.filter(({ network }) => hasAccounts(network));
  if (kept.length === 0) return;
  await query(
    em,
    `insert into holding (payment_id, network, currency, units)
     select payment_id, network, currency, sum(units)
     from unnest($1::text[], $2::text[], $3::text[], $4::numeric[]) as c(payment_id, network, currency, units)
     group by 1, 2, 3 order by 1, 2, 3 ${UPSERT}`,
    [
      kept.map(({ paymentId }) => paymentId),
      kept.map(({ network }) => network),
      kept.map(({ currency }) => currency),
      kept.map(({ units }) => units.toString()),
    ],
  );
}

/**
 * The owner of an address (`a.account`, `a.key`): its payment's id or, for a gap address without a payment, its own id.
 */
const OF_ADDRESS = `(
  select p.id from payment p where (p.derivation_account, p.address_key) = (a.account, a.key)
  union all
  select g.id from gap_address g where (g.account, g.address_key) = (a.account, a.key) and not exists (
    select 1 from payment p where (p.derivation_account, p.address_key) = (g.account, g.address_key)))`;

/** The same by address. Addresses that are not deposit addresses are ignored. */
export async function changeHoldingsAt(
  em: EntityManager,
  network: Network,
  changes: readonly AddressChange[],
): Promise<void> {
  if (changes.length === 0 || !hasAccounts(network)) return;
  await query(
    em,
    `insert into holding (payment_id, network, currency, units)
     select o.id, $1, a.currency, sum(a.units)
     from (select $2::text as account, c.*
           from unnest($3::text[], $4::text[], $5::numeric[]) as c(key, currency, units)) a
     cross join lateral ${OF_ADDRESS} o
     group by 1, 2, 3 order by 1, 2, 3 ${UPSERT}`,
    [
      ...[network, NETWORKS[network].account],
      changes.map(({ addressKey }) => addressKey),
      changes.map(({ currency }) => currency),
      changes.map(({ units }) => units.toString()),
    ],
  );
}

/** Parameters: network, currency and limit. */
export const LARGEST_HOLDERS = `
  select coalesce(p.address_key, g.address_key) as key, coalesce(p.derivation_index, g.index)::text as index
  from (select payment_id, units from holding where network = $1 and currency = $2 and units > 0
        order by units desc, payment_id limit $3) h
  left join payment p on p.id = h.payment_id left join gap_address g on g.id = h.payment_id
  where coalesce(p.id, g.id) is not null order by h.units desc, h.payment_id`;

/** The deposit addresses that hold the most of an asset, largest first. */
export async function findHolders(
  em: EntityManager,
  network: string,
  currency: string,
  limit: number,
): Promise<Holder[]> {
  const rows = await query<{ key: string; index: string }>(em, LARGEST_HOLDERS, [network, currency, limit]);
  return rows.map(({ key, index }) => ({ addressKey: key, index: Number(index) }));
}

const networksAsRows = Object.values(NETWORKS)
  .filter(({ network }) => hasAccounts(network))
  .map(({ network, account, coin }) => `('${network}', '${account}', '${coin}')`);

/** Networks with accounts, as rows for a `with`. */
export const PLACES = `place(network, account, coin) as (values ${networksAsRows.join(', ')})`;

/** What our own finished transactions took from addresses and brought to them. */
const MOVED = `
  settled as (select t.*, l.account, l.coin from transfer t join place l using (network) where t.status in ('CONFIRMED', 'FAILED')),
  moved as (
    select network, account, sender_key as key, currency, -case when moved > 0 then moved else amount end as units
    from settled where status = 'CONFIRMED'
    union all
    select network, account, recipient_key, currency, amount from settled where status = 'CONFIRMED' and purpose in ('SWEEP', 'GAS')
    union all
    select network, account, coalesce(payer_key, sender_key), coin, -cost from settled
  )`;

/** The holdings recomputed from everything ever booked: payment_id, network, currency, units. */
export const HOLDINGS_BY_HISTORY = `
  with ${PLACES}, ${MOVED},
  at_address as (
    select * from moved
    union all
    select f.network, l.account, f.address_key, f.currency, f.amount from funding f join place l using (network)
    where f.purpose = 'suspense' and f.explained and not f.reversed
  )
  select payment_id, network, currency, sum(units) as units from (
    select payment_id, network, currency, amount as units from deposit join place using (network) where credited
    union all
    select payment_id, network, currency, amount from suspense_movement join place using (network)
    where kind = 'CREDIT' and funding_id is null
    union all
    select p.id, a.network, a.currency, a.units from at_address a
    join payment p on (p.derivation_account, p.address_key) = (a.account, a.key)
    union all
    select g.id, a.network, a.currency, a.units from at_address a
    join gap_address g on (g.account, g.address_key) = (a.account, a.key)
    where not exists (select 1 from payment p where (p.derivation_account, p.address_key) = (a.account, a.key))
  ) as part group by 1, 2, 3`;

/**
 * Initialises the holdings of addresses that were just added to the gap, by their ids, from our own past transactions.
 * No transaction of ours may finish meanwhile.
 */
export async function beginHoldings(em: EntityManager, account: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await query(
    em,
    `with ${PLACES}, ${MOVED}
     insert into holding (payment_id, network, currency, units)
     select g.id, m.network, m.currency, sum(m.units)
     from moved m join gap_address g on (g.account, g.address_key) = (m.account, m.key)
     where g.account = $1 and g.id = any($2) group by 1, 2, 3`,
    [account, ids],
  );
}
