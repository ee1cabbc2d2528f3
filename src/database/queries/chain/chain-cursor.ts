// How far each chain has been read: the cursor, a block's hash, and the hashes of recent blocks to go back to.

import { query, toDate, type EntityManager } from '../../connection.ts';

/** The last block read, and the node's tip when it was last seen. */
export interface Cursor {
  readonly hash: string;
  readonly height: number;
  /**
   * The block's timestamp or the time we first read it, whichever is earlier, so that no block is dated ahead of us.
   */
  readonly blockTime: Date;
  readonly tipHeight: number;
}

interface CursorRow {
  hash: string;
  height: string;
  block_time: string;
  tip_height: string;
}

/** How many block hashes below the cursor are kept. A deeper reorganisation restarts from the oldest one. */
const KEPT_BLOCKS = 1_024;

/** Remembers the block `$3` at height `$2`. */
const REMEMBER = `insert into chain_block (network, height, hash) values ($1, $2, $3)
     on conflict (network, height) do update set hash = excluded.hash`;

/** Reads a network's cursor; with `lock`, locks it for a transaction that will move it. */
export async function readCursor(em: EntityManager, network: string, lock = false): Promise<Cursor | null> {
  const [row] = await query<CursorRow>(
    em,
    `select hash, height, block_time, tip_height from chain_cursor where network = $1 ${lock ? 'for update' : ''}`,
    [network],
  );
  if (!row) return null;
  return {
    hash: row.hash,
    height: Number(row.height),
    blockTime: toDate(row.block_time),
    tipHeight: Number(row.tip_height),
  };
}

/** Sets a network's first cursor unless it has one; returns the one in effect. For use in a transaction. */
export async function startCursor(em: EntityManager, network: string, cursor: Cursor): Promise<Cursor> {
  const started = await query(
    em,
    `insert into chain_cursor (network, height, hash, block_time, tip_height) values ($1, $2, $3, $4, $5)
     on conflict (network) do nothing returning 1`,
    [network, cursor.height, cursor.hash, cursor.blockTime, cursor.tipHeight],
  );
  if (started.length > 0) await query(em, REMEMBER, [network, cursor.height, cursor.hash]);
  return (await readCursor(em, network)) ?? cursor;
}

/** Moves the cursor to a block, in one statement; forgets remembered blocks above it and far below it. */
export async function moveCursor(em: EntityManager, network: string, cursor: Cursor): Promise<void> {
  await query(
    em,
    `with moved as (
       insert into chain_cursor (network, height, hash, block_time, tip_height) values ($1, $2, $3, $4, $5)
       on conflict (network) do update set height = excluded.height, hash = excluded.hash,
         block_time = excluded.block_time, tip_height = excluded.tip_height
     ), forgotten as (
       delete from chain_block where network = $1 and (height > $2 or height < $2 - ${KEPT_BLOCKS})
     )
     ${REMEMBER}`,
    [network, cursor.height, cursor.hash, cursor.blockTime, cursor.tipHeight],
  );
}

/** The remembered blocks, newest first. */
export async function readRememberedBlocks(em: EntityManager, network: string) {
  const rows = await query<{ hash: string; height: string }>(
    em,
    'select hash, height from chain_block where network = $1 order by height desc',
    [network],
  );
  return rows.map(({ hash, height }) => ({ hash, height: Number(height) }));
}
