// What a check of the recent book looks at: all that was recorded or changed since the last seal, and what is still
// open. Its size follows from what happens in a few minutes, not from history.

import { firstIdOf } from '../../../values/id.ts';
import { query, type EntityManager } from '../../connection.ts';
import { PLACES } from './holdings.ts';

/** Ids of rows by what is checked of them. Some may name nothing, where a row is missing. */
export interface CheckScope {
  /** The last sealed posting; those after it are checked. */
  readonly sealedUpTo: string;
  readonly deposits: readonly string[];
  readonly payouts: readonly string[];
  readonly payments: readonly string[];
  /** Whose addresses hold something else than before: payments, or addresses of the gap by their ids. */
  readonly holders: readonly string[];
}

interface Since {
  /** The last sealed posting. */
  readonly postingId: string;
  /** What was recorded before it was checked with the sealed postings. */
  readonly horizon: Date;
}

/** Reads the scope. */
export async function readCheckScope(em: EntityManager, { postingId, horizon }: Since): Promise<CheckScope> {
  const named = await readNamed(em, postingId);
  const deposits = await readDeposits(em, named.deposits, horizon);
  const payouts = await readPayouts(em, named.payouts, horizon);
  const changed = await readChangedPayments(em, horizon);
  const paid = deposits.map(({ paymentId }) => paymentId);
  const refunded = payouts.flatMap(({ paymentId }) => paymentId ?? []);
  return {
    sealedUpTo: postingId,
    deposits: unique([...named.deposits, ...deposits.map(({ id }) => id)]),
    payouts: unique([...named.payouts, ...payouts.map(({ id }) => id)]),
    payments: unique([...named.payments, ...paid, ...refunded, ...changed]),
    holders: unique([...named.payments, ...paid, ...(await readHolders(em, named, horizon))]),
  };
}

/** Above every posting. A range with two ends is read from an index, even without statistics. */
const LAST_POSTING = '9223372036854775807';

const unique = (ids: readonly string[]) => [...new Set(ids)];

/** What the new ledger transactions are about, by their references. */
interface Named {
  readonly deposits: readonly string[];
  readonly payouts: readonly string[];
  readonly payments: readonly string[];
  readonly fundings: readonly string[];
  /** As `network/hash`. */
  readonly transactions: readonly string[];
}

type NamedByReference = Exclude<keyof Named, 'payments'>;

const KINDS: Readonly<Record<string, NamedByReference>> = {
  ...{ credit: 'deposits', reversal: 'deposits' },
  ...{ reserve: 'payouts', payout: 'payouts', release: 'payouts' },
  ...{ gap: 'fundings', 'gap-reversal': 'fundings' },
  ...{ cost: 'transactions', 'cost-reversal': 'transactions', loss: 'transactions', 'loss-reversal': 'transactions' },
};

async function readNamed(em: EntityManager, postingId: string): Promise<Named> {
  const rows = await query<{ reference: string; paymentId: string | null }>(
    em,
    `select distinct t.reference, t.payment_id as "paymentId"
     from (select transaction_id from posting where id > $1 and id < ${LAST_POSTING} offset 0) p
     join lateral (select reference, payment_id from ledger_transaction where id = p.transaction_id offset 0) t on true`,
    [postingId],
  );
  const named: Record<NamedByReference, string[]> = { deposits: [], payouts: [], fundings: [], transactions: [] };
  for (const { reference } of rows) {
    const [step = '', first = '', second = ''] = reference.split('/');
    const kind = KINDS[step];
    if (kind) named[kind].push(kind === 'transactions' ? `${first}/${second}` : first);
  }
  return { ...named, payments: rows.flatMap(({ paymentId }) => paymentId ?? []) };
}

/** Deposits that were named, seen since the horizon, or not credited yet. */
function readDeposits(em: EntityManager, ids: readonly string[], horizon: Date) {
  return query<{ id: string; paymentId: string }>(
    em,
    `select id, payment_id as "paymentId" from deposit where id = any ($1)
     union select id, payment_id from deposit where id >= $2 and id < 'dep~'
     union select id, payment_id from deposit where status <> 'ORPHANED' and not credited`,
    [ids, firstIdOf('dep', horizon.getTime())],
  );
}

/** Payouts that were named, requested since the horizon, or are open. */
function readPayouts(em: EntityManager, ids: readonly string[], horizon: Date) {
  const made = (['wdr', 'rfd', 'fee'] as const).map((prefix) => [firstIdOf(prefix, horizon.getTime()), `${prefix}~`]);
  return query<{ id: string; paymentId: string | null }>(
    em,
    `select id, payment_id as "paymentId" from payout where id = any ($1)
     union
     select o.id, o.payment_id from unnest($2::text[], $3::text[]) as made(first, last)
     cross join lateral (select id, payment_id from payout where id >= made.first and id < made.last offset 0) o
     union
     select id, payment_id from payout where status in ('REQUESTED', 'BROADCAST')
     union
     select id, payment_id from payout where status = 'AWAITING_APPROVAL'`,
    [ids, made.map(([first]) => first), made.map(([, last]) => last)],
  );
}

/** Every change of a payment is an event. */
async function readChangedPayments(em: EntityManager, horizon: Date): Promise<string[]> {
  const rows = await query<{ id: string }>(
    em,
    `select distinct payment_id as id from event where id >= $1 and id < 'evt~' and payment_id is not null`,
    [firstIdOf('evt', horizon.getTime())],
  );
  return rows.map(({ id }) => id);
}

/** Whose addresses our own new or open transactions, and what was moved out of suspense, changed. */
async function readHolders(
  em: EntityManager,
  { fundings, transactions }: Pick<Named, 'fundings' | 'transactions'>,
  horizon: Date,
): Promise<string[]> {
  const named = transactions.map((text) => text.split('/'));
  const rows = await query<{ id: string }>(
    em,
    `with ${PLACES}, moved as (
       select network, sender_key, recipient_key, payer_key from transfer where id >= $1 and id < 'trf~'
       union all
       select network, sender_key, recipient_key, payer_key from transfer where status in ('SIGNED', 'BROADCAST')
       union all
       select t.network, t.sender_key, t.recipient_key, t.payer_key
       from unnest($2::text[], $3::text[]) as n(network, hash)
       join transfer t on (t.network, t.tx_hash) = (n.network, n.hash)
     ), explained as (
       select m.payment_id, m.network, f.address_key from suspense_movement m left join funding f on f.id = m.funding_id
       where m.kind = 'CREDIT' and m.created_at >= $4
     ), touched as (
       select network, sender_key as key from moved
       union select network, recipient_key from moved
       union select network, payer_key from moved
       union select network, address_key from funding where id = any ($5::bigint[])
       union select network, address_key from explained
     ), at_key as (select distinct l.account, t.key from touched t join place l using (network) where t.key is not null)
     select p.id from at_key k join payment p on (p.derivation_account, p.address_key) = (k.account, k.key)
     union select g.id from at_key k join gap_address g on (g.account, g.address_key) = (k.account, k.key)
     union select payment_id from explained`,
    [
      firstIdOf('trf', horizon.getTime()),
      named.map(([network]) => network),
      named.map(([, hash]) => hash),
      horizon,
      fundings,
    ],
  );
  return rows.map(({ id }) => id);
}
