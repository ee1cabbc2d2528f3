// Stores the figures of codes, one for each minute, and reads the newest ones.

import { formatAmount } from '../../../values/amount.ts';
import type { GoodFigure } from '../../../values/feeds/figure.ts';
import { readUsd, USD_DECIMALS } from '../../../values/prices/price.ts';
import { query, toDate, type EntityManager } from '../../connection.ts';

/** What a feed said of a code: US dollars, a decimal string, and when (ISO 8601). */
export interface FigureSource {
  readonly feed: string;
  readonly usd: string;
  readonly at: string;
}

/** A figure: 10⁻¹⁸ US dollars, when it was judged, and what it was made of. `usd` is null after a jump. */
export interface Figure {
  readonly code: string;
  readonly usd: bigint | null;
  readonly at: Date;
  readonly sources: readonly FigureSource[];
}

/** Stores figures that were judged at one moment. */
export async function storeFigures(em: EntityManager, figures: readonly Figure[]): Promise<void> {
  await query(
    em,
    `insert into rate as old (code, minute, usd, at, sources)
     select code, date_trunc('minute', at) + case when usd is null then interval '30 seconds' else interval '0' end,
       usd, at, sources::json
     from unnest($1::text[], $2::numeric[], $3::timestamptz[], $4::text[]) as f (code, usd, at, sources)
     on conflict (code, minute) do update set usd = excluded.usd, at = excluded.at, sources = excluded.sources
     where old.at <= excluded.at`,
    [
      figures.map(({ code }) => code),
      figures.map(({ usd }) => (usd === null ? null : formatAmount(usd, USD_DECIMALS))),
      figures.map(({ at }) => at),
      figures.map(({ sources }) => JSON.stringify(sources)),
    ],
  );
}

/** The last good figure of each code that was judged since a time; codes without one are missing. */
export async function readLastGood(
  em: EntityManager,
  codes: readonly string[],
  since: Date,
): Promise<ReadonlyMap<string, GoodFigure>> {
  const rows = await query<{ code: string; usd: string; at: string }>(
    em,
    `select c.code, r.usd::text, r.at from unnest($1::text[]) as c (code) cross join lateral (
       select usd, at from rate
       where code = c.code and minute >= date_trunc('minute', $2::timestamptz) and usd is not null and at >= $2
       order by minute desc limit 1) r`,
    [codes, since],
  );
  return new Map(rows.map(({ code, usd, at }) => [code, { usd: readUsd(usd), at: toDate(at) }]));
}

/** The figures that were judged after a time, in the order of time. */
export async function readFiguresAfter(em: EntityManager, after: Date): Promise<Figure[]> {
  const rows = await query<{ code: string; usd: string | null; at: string; sources: readonly FigureSource[] }>(
    em,
    `select code, usd::text, at, sources from rate
     where minute >= date_trunc('minute', $1::timestamptz) and at > $1 order by at`,
    [after],
  );
  return rows.map(({ code, usd, at, sources }) => ({
    ...{ code, sources },
    usd: usd === null ? null : readUsd(usd),
    at: toDate(at),
  }));
}

/** The codes that ever had a figure, looked up one after another: the table has thousands of rows for each. */
export async function readKnownCodes(em: EntityManager): Promise<string[]> {
  const rows = await query<{ code: string }>(
    em,
    `with recursive known as (
       (select code from rate order by code limit 1)
       union all
       select (select code from rate where code > known.code order by code limit 1) from known where code is not null
     )
     select code from known where code is not null`,
  );
  return rows.map(({ code }) => code);
}

/** The good figures of codes nearest before these times, in their order; null where there was none for 24 hours. */
export async function readFiguresAt(
  em: EntityManager,
  wanted: readonly { readonly code: string; readonly at: Date }[],
): Promise<(GoodFigure | null)[]> {
  const rows = await query<{ usd: string | null; at: string | null }>(
    em,
    `select r.usd::text, r.at from unnest($1::text[], $2::timestamptz[]) with ordinality as given(code, at, nth)
     left join lateral (
       select usd, at from rate
       where code = given.code and usd is not null and minute <= given.at and at <= given.at
         and minute >= date_trunc('minute', given.at - interval '24 hours') and at >= given.at - interval '24 hours'
       order by minute desc limit 1
     ) r on true
     order by given.nth`,
    [wanted.map(({ code }) => code), wanted.map(({ at }) => at)],
  );
  return rows.map(({ usd, at }) => (usd === null || at === null ? null : { usd: readUsd(usd), at: toDate(at) }));
}
