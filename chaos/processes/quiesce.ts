// Waits after the last round until the gateway has done all outstanding work by itself.

import { setTimeout as rest } from 'node:timers/promises';
import { waitUntil } from './wait.ts';
import type { JudgedSystem } from './environment.ts';

const REST_WITHIN_MS = 120_000;
/** How long nothing may have changed: the work of one loop wakes the next. */
const QUIET_MS = 1_200;

// One row: the outstanding work, and the number of rows of each kind, which must not change.
const STATE = `
select
  (select count(*) from event where position is null)::int as "unnumbered events",
  (select count(*) from webhook_delivery where due_at is not null)::int as "deliveries under way",
  (select count(*) from deposit where status = 'PENDING')::int as "unconfirmed deposits",
  (select count(*) from payment where status = 'CONFIRMING'
    or status in ('PENDING', 'PARTIALLY_PAID') and expires_at < now())::int as "undecided payments",
  (select count(*) from invoice where status = 'PROCESSING'
    or status in ('OPEN', 'PARTIALLY_PAID') and deadline < now())::int as "undecided invoices",
  (select count(*) from payout where status in ('REQUESTED', 'BROADCAST'))::int as "open payouts",
  (select concat_ws('/', (select count(*) from event), (select count(*) from webhook_delivery),
    (select count(*) from webhook_attempt), (select count(*) from posting))) as seen`;

const EXAMPLES = `
select format('delivery %s of event %s: %s after %s attempts, due at %s', id, event_id, status, attempts, due_at) as words
  from webhook_delivery where due_at is not null
union all select format('payment %s: %s', id, status) from payment
  where status = 'CONFIRMING' or status in ('PENDING', 'PARTIALLY_PAID') and expires_at < now()
union all select format('invoice %s: %s', id, status) from invoice
  where status = 'PROCESSING' or status in ('OPEN', 'PARTIALLY_PAID') and deadline < now()
union all select format('payout %s: %s', id, status) from payout where status in ('REQUESTED', 'BROADCAST')
union all select format('event %s has no number', id) from event where position is null
limit 3`;

type State = Readonly<Record<string, number | string>>;

/**
 * Resolves when no work is outstanding and nothing changes. Throws `Violation` with the outstanding work if that takes
 * too long.
 */
export async function settle({ database }: Pick<JudgedSystem, 'database'>): Promise<void> {
  const owed = async () => {
    const [state] = await database.rows<State>(STATE);
    return state ?? {};
  };
  const isDone = (state: State) => Object.values(state).every((value) => typeof value === 'string' || value === 0);
  const look = async () => {
    const before = await owed();
    if (!isDone(before)) return null;
    await rest(QUIET_MS);
    const after = await owed();
    return isDone(after) && after['seen'] === before['seen'] ? true : null;
  };
  await waitUntil('everything comes to rest', REST_WITHIN_MS, look, async () => {
    const examples = await database.rows<{ words: string }>(EXAMPLES);
    return `${JSON.stringify(await owed())}; ${examples.map(({ words }) => words).join('; ')}`;
  });
}
