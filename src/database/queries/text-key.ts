// How orders are found by the beginning of a text: the text in lower case, behind its merchant's id.

import { firstOf } from './page-limit.ts';

/** SQL: what rows of a merchant are found by; the indexes have the same expressions. */
export const keyOf = (text: string) => `((merchant_id || ' ' || ${text}) collate "C")`;

/** What of a row has an index of beginnings. */
interface Beginning {
  readonly table: 'payment' | 'invoice';
  /** The column, or what of it is looked at. */
  readonly column: string;
  /** The column, where that is an expression of it. */
  readonly from?: string;
  /** Whether the index has the id behind the text; without it, of rows with the same text any may be found. */
  readonly isByIdToo: boolean;
}

/**
 * SQL: the ids of the rows whose column begins with the text $2, in any case, of merchant $1. Of too many it has those
 * that come last in the order of texts, which for numbers in succession are the newest. Whatever is found, no more is
 * read.
 */
export function beginning({ table, column, from = column, isByIdToo }: Beginning, limit: string): string {
  const key = keyOf(`lower(${column})`);
  const rows = `select ${key} as key, id from ${table} where ${from} is not null
    and ${key} >= $1::text || ' ' || lower($2::text) and ${key} < $1::text || ' ' || lower($2::text) || chr(1114111)`;
  return `select id from (${firstOf(rows, isByIdToo ? 'key desc, id desc' : 'key desc', limit)}) begun`;
}

/** SQL: the ids that begin with $3, of merchant $1; none where that is null. */
export const idsBeginning = (table: 'payment' | 'invoice', limit: string) =>
  `select id from (${firstOf(
    `select merchant_id, id from ${table} where (merchant_id, id) >= ($1::text, $3::text)
      and (merchant_id, id) < ($1::text, $3::text || '~')`,
    'merchant_id desc, id desc',
    limit,
  )}) named`;
