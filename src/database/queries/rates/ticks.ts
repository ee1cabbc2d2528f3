// Stores the newest price that each feed has said of each code, and reads them.

import { formatAmount } from '../../../values/amount.ts';
import type { FeedTick } from '../../../values/feeds/figure.ts';
import type { Tick } from '../../../values/feeds/tick.ts';
import { readUsd, USD_DECIMALS } from '../../../values/prices/price.ts';
import { query, toDate, type EntityManager } from '../../connection.ts';

/** Stores the ticks of a feed; what it has dated later stays. */
export async function storeTicks(em: EntityManager, feed: string, ticks: readonly Tick[]): Promise<void> {
  await query(
    em,
    `insert into rate_tick as tick (feed, code, usd, at)
     select $1, code, usd, at from unnest($2::text[], $3::numeric[], $4::timestamptz[]) as t (code, usd, at)
     on conflict (feed, code) do update set usd = excluded.usd, at = excluded.at where tick.at <= excluded.at`,
    [
      feed,
      ticks.map(({ code }) => code),
      ticks.map(({ usd }) => formatAmount(usd, USD_DECIMALS)),
      ticks.map(({ at }) => at),
    ],
  );
}

/** The newest ticks of these feeds, in the order of their names. */
export async function readTicks(em: EntityManager, feeds: readonly string[]): Promise<FeedTick[]> {
  const rows = await query<{ feed: string; code: string; usd: string; at: string }>(
    em,
    'select feed, code, usd::text, at from rate_tick where feed = any($1) order by feed',
    [feeds],
  );
  return rows.map(({ feed, code, usd, at }) => ({ feed, code, usd: readUsd(usd), at: toDate(at) }));
}
