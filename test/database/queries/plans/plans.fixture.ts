// Watches the plans of all statements that the code under test sends, those of foreign keys and triggers too: the
// server reports each with what it read (auto_explain).

import type pg from 'pg';
import type { Pool, PoolClient } from 'pg';

/** What running a statement once has read at most. */
export interface Reading {
  /** Rows that were looked at, including those that a filter removed. */
  readonly rows: number;
  /** Pages, of tables and indexes. */
  readonly pages: number;
  /** The plan, as text. */
  readonly plan: string;
}

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  readonly Filter?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly 'Shared Hit Blocks'?: number;
  readonly 'Shared Read Blocks'?: number;
  readonly Plans?: readonly PlanNode[];
}

/** Lets the server report the plans of new connections. For a superuser. */
export async function reportPlans(client: pg.Client, database: string): Promise<void> {
  const settings = {
    session_preload_libraries: 'auto_explain',
    'auto_explain.log_min_duration': 0,
    'auto_explain.log_analyze': 'on',
    'auto_explain.log_buffers': 'on',
    'auto_explain.log_timing': 'off',
    'auto_explain.log_nested_statements': 'on',
    'auto_explain.log_parameter_max_length': 0,
    'auto_explain.log_format': 'json',
    'auto_explain.log_level': 'notice',
  };
  for (const [name, value] of Object.entries(settings))
    await client.query(`alter database ${database} set ${name} = '${value}'`);
}

/** Collects what the statements of a pool's connections read, by their texts, until `stop`. */
export function watchPlans(pool: Pool): { readonly readings: ReadonlyMap<string, Reading>; stop(): void } {
  const readings = new Map<string, Reading>();
  const watched = new Set<PoolClient>();
  const note = ({ message = '' }: { message?: string | undefined }) => {
    const plan = /^duration: [\d.]+ ms {2}plan:\n([\s\S]*)$/.exec(message)?.[1];
    if (plan === undefined) return;
    const { 'Query Text': text, Plan: root } = JSON.parse(plan) as { 'Query Text': string; Plan: PlanNode };
    const statement = text.replaceAll(/\s+/g, ' ').trim();
    const [rows, pages] = [rowsOf(root), (root['Shared Hit Blocks'] ?? 0) + (root['Shared Read Blocks'] ?? 0)];
    const before = readings.get(statement);
    if (before && before.rows >= rows && before.pages >= pages) return;
    const most = { rows: Math.max(rows, before?.rows ?? 0), pages: Math.max(pages, before?.pages ?? 0) };
    readings.set(statement, { ...most, plan: outline(root) });
  };
  const watch = (client: PoolClient) => {
    if (watched.has(client)) return;
    watched.add(client);
    client.on('notice', note);
  };
  pool.on('acquire', watch);
  return {
    readings,
    stop: () => {
      pool.off('acquire', watch);
      for (const client of watched) client.off('notice', note);
    },
  };
}

function rowsOf(node: PlanNode): number {
  const removed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0);
  const own =
    node['Relation Name'] === undefined || node['Node Type'] === 'ModifyTable' ? 0 : node['Actual Rows'] + removed;
  return (node.Plans ?? []).reduce((sum, child) => sum + rowsOf(child), own * node['Actual Loops']);
}

/** A plan in a few lines: what is read, by which index, how many rows. */
function outline(node: PlanNode, depth = 0): string {
  const { 'Relation Name': table, 'Index Name': index, 'Index Cond': condition, Filter: filter } = node;
  const removed = node['Rows Removed by Filter'] ?? 0;
  const parts = [
    node['Node Type'],
    table !== undefined && `of ${table}`,
    index !== undefined && `by ${index}`,
    condition !== undefined && `for ${condition}`,
    filter !== undefined && `where ${filter}`,
    `${node['Actual Loops']} × (${node['Actual Rows']} rows${removed > 0 ? `, ${removed} removed` : ''})`,
  ];
  const line = `${'  '.repeat(depth)}${parts.filter((part) => part !== false).join(' ')}`;
  return [line, ...(node.Plans ?? []).map((child) => outline(child, depth + 1))].join('\n');
}
