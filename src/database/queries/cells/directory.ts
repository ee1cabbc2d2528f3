// The directory of cells, in the database that has it: which cell an e-mail address belongs to, by its digest, and what
// each cell reports of itself.

import { query, toDate, type EntityManager } from '../../connection.ts';

/** A cell, and where its console is. */
export interface CellSite {
  readonly cell: number;
  readonly url: string;
}

/** What a cell says of itself. */
export interface CellEntry extends CellSite {
  /** The same in all cells that have the same key. */
  readonly keyCheck: Buffer;
}

/** Enters a cell, or its new URL. */
export async function enterCell(em: EntityManager, { cell, url, keyCheck }: CellEntry): Promise<void> {
  await query(
    em,
    `insert into cell_site as s (cell, url, key_check) values ($1, $2, $3)
     on conflict (cell) do update set url = excluded.url, key_check = excluded.key_check
       where (s.url, s.key_check) <> (excluded.url, excluded.key_check)`,
    [cell, url, keyCheck],
  );
}

/** All cells that are entered, in their order. */
export const listCells = (em: EntityManager): Promise<CellEntry[]> =>
  query<CellEntry>(em, 'select cell, url, key_check as "keyCheck" from cell_site order by cell');

/** What a cell reports of itself, for the operator of all. */
export interface CellReport {
  readonly version: string;
  readonly merchants: number;
  /** Payouts that wait for a transaction, and those that have been open for too long. */
  readonly payoutsDue: number;
  readonly payoutsStuck: number;
  /** The networks whose signing is halted. */
  readonly halted: readonly string[];
  /** For how long the first event that is not sent on yet has waited, in seconds. */
  readonly eventsWait: number;
  /** When the ledger was checked last, in ISO 8601, and how many of its rules were broken. */
  readonly ledgerCheckedAt: string | null;
  readonly ledgerFaults: number;
}

/** A cell with its last report, as it was written: by whatever release that cell runs. */
export interface ReportedCell extends CellSite {
  readonly report: Readonly<Record<string, unknown>> | null;
  readonly reportedAt: Date | null;
}

/** Records what a cell, which has been entered, reports. */
export async function recordReport(em: EntityManager, cell: number, report: CellReport): Promise<void> {
  await query(em, 'update cell_site set report = $2, reported_at = now() where cell = $1', [
    cell,
    JSON.stringify(report),
  ]);
}

/** All cells that are entered, with their last reports. */
export async function readReports(em: EntityManager): Promise<ReportedCell[]> {
  const rows = await query<Omit<ReportedCell, 'reportedAt'> & { readonly reportedAt: string | null }>(
    em,
    'select cell, url, report, reported_at as "reportedAt" from cell_site order by cell',
  );
  return rows.map((row) => ({ ...row, reportedAt: toDate(row.reportedAt) }));
}

/** Takes an address for a cell, unless another has it; returns the cell that has it now. */
export async function takeAddress(em: EntityManager, digest: Buffer, cell: number): Promise<number> {
  // One that is taken at the same moment is seen by the next statement alone.
  for (;;) {
    const [taken] = await query<{ cell: number }>(
      em,
      `with taken as (
         insert into cell_directory as d (digest, cell) values ($1, $2)
         on conflict (digest) do update set seen_at = now() where d.cell = excluded.cell returning cell
       )
       select cell from taken union all select cell from cell_directory where digest = $1 limit 1`,
      [digest, cell],
    );
    if (taken) return taken.cell;
  }
}

/** The cell that has an address; null if none has. */
export async function readCellOf(em: EntityManager, digest: Buffer): Promise<number | null> {
  const [found] = await query<{ cell: number }>(em, 'select cell from cell_directory where digest = $1', [digest]);
  return found?.cell ?? null;
}

/** Takes addresses that a cell has seen among its people; returns how many of them another cell has. */
export async function keepAddresses(em: EntityManager, digests: readonly Buffer[], cell: number): Promise<number> {
  await query(
    em,
    `insert into cell_directory as d (digest, cell) select digest, $2 from unnest($1::bytea[]) as u(digest)
     order by digest -- the same order everywhere, so that no two cells deadlock
     on conflict (digest) do update set seen_at = now() where d.cell = excluded.cell and d.seen_at < now() - interval '1 day'`,
    [digests, cell],
  );
  const [others] = await query<{ count: number }>(
    em,
    'select count(*)::int as count from cell_directory where digest = any($1) and cell <> $2',
    [digests, cell],
  );
  return others?.count ?? 0;
}

const BATCH = 10_000;

/** Frees addresses that a cell has not seen since a time; returns whether there may be more. */
export async function freeUnseen(em: EntityManager, cell: number, since: Date): Promise<boolean> {
  const freed = await query(
    em,
    `with unseen as (
       select digest from cell_directory where cell = $1 and seen_at < $2 limit ${String(BATCH)} for update skip locked
     )
     delete from cell_directory d using unseen where d.digest = unseen.digest returning 1`,
    [cell, since],
  );
  return freed.length === BATCH;
}
