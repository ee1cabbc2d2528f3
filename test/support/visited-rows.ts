// Counts the rows that a prepared statement visits, including those that it discards: the cost of a page of a list.

import type pg from 'pg';

/** A plan as `explain (analyze, format json)` prints it. */
export interface PlanNode {
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly PlanNode[];
}

/** Runs the statement, and counts the rows of these tables, or of all, that it visited in indexes and tables. */
export async function visitedBy(
  pool: pg.Pool,
  { name = 'looked-at', text, values = [] }: pg.QueryConfig,
  tables?: readonly string[],
): Promise<number> {
  const client = await pool.connect();
  try {
    await client.query({ name, text, values });
    const given = values.map((value) => literal(client, value)).join(', ');
    const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
      `explain (analyze, format json) execute "${name}"(${given})`,
    );
    const plan = rows[0]?.['QUERY PLAN'][0].Plan;
    return plan ? countVisited(plan, tables) : Number.NaN;
  } finally {
    client.release();
  }
}

/** How many times a prepared statement ran with a kept (generic) plan; the pool has one connection. */
export async function countKept(pool: pg.Pool, { name }: pg.QueryConfig): Promise<number> {
  const { rows } = await pool.query<{ kept: string }>(
    'select generic_plans as kept from pg_prepared_statements where name = $1',
    [name],
  );
  return Number(rows[0]?.kept);
}

function literal(client: pg.ClientBase, value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return `array[${value.map((each) => literal(client, each)).join(', ')}]::text[]`;
  if (value instanceof Date) return client.escapeLiteral(value.toISOString());
  return typeof value === 'number' ? String(value) : client.escapeLiteral(value as string);
}

/** How many rows of these tables, or of all, a plan visited. */
export function countVisited(node: PlanNode, tables?: readonly string[]): number {
  const table = node['Relation Name'];
  const isCounted = table !== undefined && (tables?.includes(table) ?? true);
  const own = isCounted ? node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0) : 0;
  return (node.Plans ?? []).reduce((sum, child) => sum + countVisited(child, tables), own * node['Actual Loops']);
}
