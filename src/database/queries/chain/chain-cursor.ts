// How far each chain was read: a cursor that is a block hash, and the hashes of the last blocks to find a way back by.

import { query, toDate, type EntityManager } from '../../connection.ts';

/** The last block that was read, and what was last known of the node's tip. */
export interface Cursor {
  readonly hash: string;
  readonly height: number;
  /** The block's own, or the moment at which it was first read, whichever is earlier: no block is dated ahead of us. */
  readonly blockTime: Date;
  readonly tipHeight: number;
}

interface CursorRow {
  hash: string;
  height: string;
  block_time: string;
  tip_height: string;
}

/** Blocks below the cursor whose hashes are kept: deeper reorganisations than this start over from the oldest kept. */
const KEPT_BLOCKS = 1_024;

/** Reads a network's cursor; with `lock`, for a transaction that will move it. */
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

/** Sets the first cursor of a network, unless there is one; answers the one that counts. For use in a transaction. */
export async function startCursor(em: EntityManager, network: string, cursor: Cursor): Promise<Cursor> {
  const started = await query(
    em,
    `insert into chain_cursor (network, height, hash, block_time, tip_height) values ($1, $2, $3, $4, $5)
     on conflict (network) do nothing returning 1`,
    [network, cursor.height, cursor.hash, cursor.blockTime, cursor.tipHeight],
  );
  if (started.length > 0) await remember(em, network, cursor);
  return (await readCursor(em, network)) ?? cursor;
}

/** Puts the cursor on a block, forgets remembered blocks above it and those too far below. */
export async function moveCursor(em: EntityManager, network: string, cursor: Cursor): Promise<void> {
  await query(
    em,
    `insert into chain_cursor (network, height, hash, block_time, tip_height) values ($1, $2, $3, $4, $5)
     on conflict (network) do update set height = excluded.height, hash = excluded.hash,
       block_time = excluded.block_time, tip_height = excluded.tip_height`,
    [network, cursor.height, cursor.hash, cursor.blockTime, cursor.tipHeight],
  );
  await query(em, 'delete from chain_block where network = $1 and (height > $2 or height < $3)', [
    network,
    cursor.height,
    cursor.height - KEPT_BLOCKS,
  ]);
  await remember(em, network, cursor);
}

async function remember(em: EntityManager, network: string, cursor: Cursor): Promise<void> {
  await query(
    em,
    `insert into chain_block (network, height, hash) values ($1, $2, $3)
     on conflict (network, height) do update set hash = excluded.hash`,
    [network, cursor.height, cursor.hash],
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
