// The dispatcher was away for so long that events wait for it in numbers.

import { setTimeout as rest } from 'node:timers/promises';
import { openShop } from '../../load/merchants.ts';
import { waitUntil } from '../../processes/wait.ts';
import type { BadDay } from '../bad-day.ts';
import { USUAL } from '../setting.ts';
import type { Deployment } from '../deployment.ts';

/** Events that wait in all: what one that makes 83 a second leaves in an hour, and a part of that. */
const WAITING = { short: 9_000, full: 300_000 };
/** Of so many events of a payment one is a webhook. */
const EVENTS_PER_WEBHOOK = 3;
const MERCHANTS = 3;
/** Only for a backlog that does not become less. */
const DONE_WITHIN_MS = 3_600_000;
const LOOK_EVERY_MS = 250;

/** Adds events of a merchant's payments that nothing has numbered, of which the last of every three is a webhook. */
const ADD = `
insert into event (id, merchant_id, type, body, created_at)
select 'evt_' || right($1, 8) || lpad(n::text, 12, '0'), $1,
  case when n % $3::int = 0 then 'payment.succeeded' else 'payment.updated' end,
  case when n % $3::int = 0 then json_build_object('id', n)::text end, now()
from generate_series(1, $2::int) n`;

const UNNUMBERED = `select count(*)::int as count from event where coalesce(position, 0) = 0 and merchant_id = any($1)`;
const UNDELIVERED = `
select (select count(*) from event where body is not null and merchant_id = any($1))::int
  - (select count(*) from webhook_delivery where status = 'SUCCESS' and merchant_id = any($1))::int as count`;

const BACKLOG: BadDay = {
  name: 'backlog',
  title: 'The dispatcher was away for so long that events wait for it in numbers',
  remedy: 'Start it. It needs no help; a second dispatcher shares the webhooks',
  alerts: ['EventNumberingLags', 'EventRelayLags', 'DeliveriesLate'],
  setting: USUAL,
  cause: async ({ deployment, notes, parts, short, note }) => {
    const { database, programs, receiver } = deployment;
    await programs.dispatcher.kill();
    const bases = Array.from({ length: MERCHANTS }, (_, nth) => `${receiver.origin}/fine/backlog-${nth + 1}`);
    const shops = await Promise.all(bases.map((base) => openShop(parts.client, base, { primary: true, more: 0 })));
    notes.shops.push(...shops);
    const ids = shops.map(({ merchantId }) => merchantId);
    const each = WAITING[short ? 'short' : 'full'] / MERCHANTS;
    for (const id of ids) await database.rows(ADD, [id, each, EVENTS_PER_WEBHOOK]);
    let startedAt = 0;
    return {
      mend: async () => {
        startedAt = performance.now();
        await programs.dispatcher.start();
      },
      async untilDone() {
        const secondsUntilNone = async (what: string, statement: string) => {
          await untilNone(deployment, what, statement, ids);
          return ((performance.now() - startedAt) / 1_000).toFixed(1);
        };
        const numbered = await secondsUntilNone('every event has its number', UNNUMBERED);
        const delivered = await secondsUntilNone('every webhook was delivered', UNDELIVERED);
        note(`${MERCHANTS * each} events waited: all had their numbers ${numbered} s after the dispatcher's start`);
        note(`their ${Math.floor(each / EVENTS_PER_WEBHOOK) * MERCHANTS} webhooks were delivered after ${delivered} s`);
      },
    };
  },
};

async function untilNone({ database }: Deployment, what: string, statement: string, ids: readonly string[]) {
  const look = async () => {
    const [row] = await database.rows<{ count: number }>(statement, [ids]);
    if (row?.count === 0) return true;
    await rest(LOOK_EVERY_MS);
    return null;
  };
  await waitUntil(what, DONE_WITHIN_MS, look);
}

export const BACKLOG_DAYS: readonly BadDay[] = [BACKLOG];
