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

/** Reads a network's cursor; with `lock`, locks it for a transaction that it must not move under. */
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
  const remember = 'insert into chain_block (network, height, hash) values ($1, $2, $3)';
  if (started.length > 0) await query(em, remember, [network, cursor.height, cursor.hash]);
  return (await readCursor(em, network)) ?? cursor;
}

/** Locks the cursor for a transaction, so that it stays at the block `hash`; false if it is elsewhere. */
export async function lockCursorAt(em: EntityManager, network: string, hash: string): Promise<boolean> {
  const at = 'select 1 from chain_cursor where network = $1 and hash = $2 for update';
  return (await query(em, at, [network, hash])).length > 0;
}

/**
 * Moves the cursor from the block `from` to another one, and locks it until the transaction ends, in one statement;
 * forgets remembered blocks above it and far below it. False, and nothing moved, if the cursor is not at `from`.
 */
export async function moveCursor(
  em: EntityManager,
  network: string,
  from: string,
  { hash, height, blockTime, tipHeight }: Omit<Cursor, 'tipHeight'> & { readonly tipHeight?: number },
): Promise<boolean> {
  const moved = await query(
    em,
    `with moved as (
       update chain_cursor set height = $3, hash = $4, block_time = $5, tip_height = coalesce($6, tip_height)
       where network = $1 and hash = $2 returning network
     ), forgotten as (
       delete from chain_block b using moved
       where b.network = moved.network and (b.height > $3 or b.height < $3 - ${KEPT_BLOCKS})
     )
     insert into chain_block (network, height, hash) select network, $3, $4 from moved
     on conflict (network, height) do update set hash = excluded.hash returning 1`,
    [network, from, height, hash, blockTime, tipHeight ?? null],
  );
  return moved.length > 0;
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
