// Rows of an entity's table without a unit of work: read as plain objects, written many in one statement. For hot paths,
// where MikroORM's identity map and its update of each row cost more than the database does.

import { query, toDate, type EntityManager } from './connection.ts';

type EntityClass<Entity> = abstract new () => Entity;

/** A row as it was read, and as it is to be. */
export interface RowChange<Entity> {
  readonly before: Entity;
  readonly after: Entity;
}

interface Column<Entity> {
  /** The property of the entity. */
  readonly property: keyof Entity;
  readonly column: string;
  /** Makes the property's value of what the driver gives. */
  readonly read: (value: never) => unknown;
}

interface Table<Entity> {
  readonly name: string;
  readonly columns: readonly Column<Entity>[];
}

/** Reads the rows that `clause` (`where …`, with `$1` parameters) says, as objects with the entity's properties. */
export async function readRows<Entity extends object>(
  em: EntityManager,
  entity: EntityClass<Entity>,
  clause: string,
  parameters: readonly unknown[],
): Promise<Entity[]> {
  const { name, columns } = tableOf(em, entity);
  const list = columns.map(({ column }) => column).join(', ');
  const rows = await query<Record<string, never>>(em, `select ${list} from ${name} ${clause}`, parameters);
  return rows.map((row) => {
    const found: Partial<Record<keyof Entity, unknown>> = {};
    for (const { property, column, read } of columns) {
      const value = row[column];
      found[property] = value == null ? null : read(value);
    }
    return found as Entity;
  });
}

/** Inserts rows, each with all its properties. */
export async function insertRows<Entity extends object>(
  em: EntityManager,
  entity: EntityClass<Entity>,
  rows: readonly Entity[],
): Promise<void> {
  if (rows.length === 0) return;
  const { name, columns } = tableOf(em, entity);
  const list = columns.map(({ column }) => column).join(', ');
  await query(em, `insert into ${name} (${list}) select ${list} from ${given(name)}`, [toJson(rows, columns)]);
}

/** Updates the rows that differ, found by their ids, in the columns in which any of them does. */
export async function updateRows<Entity extends { id: string }>(
  em: EntityManager,
  entity: EntityClass<Entity>,
  changes: readonly RowChange<Entity>[],
): Promise<void> {
  const { name, columns } = tableOf(em, entity);
  const isChanged = ({ property }: Column<Entity>, { before, after }: RowChange<Entity>) =>
    before[property] !== after[property];
  const changed = columns.filter((column) => changes.some((row) => isChanged(column, row)));
  if (changed.length === 0) return;
  const rows = changes.filter((row) => changed.some((column) => isChanged(column, row))).map(({ after }) => after);
  const assignments = changed.map(({ column }) => `${column} = given.${column}`).join(', ');
  const key = columns.filter(({ property }) => property === 'id');
  await query(em, `update ${name} set ${assignments} from ${given(name)} where ${name}.id = given.id`, [
    toJson(rows, [...key, ...changed]),
  ]);
}

/** The rows of the first parameter, as JSON: the table itself says of what types its columns are. */
function given(table: string): string {
  return `json_populate_recordset(null::${table}, $1::json) as given`;
}

function toJson<Entity>(rows: readonly Entity[], columns: readonly Column<Entity>[]): string {
  const toText = (value: unknown) => (typeof value === 'bigint' ? value.toString() : value);
  const toRow = (row: Entity) =>
    Object.fromEntries(columns.map(({ property, column }) => [column, toText(row[property])]));
  return JSON.stringify(rows.map(toRow));
}

/** Table and columns of an entity, from its definition. */
function tableOf<Entity extends object>(em: EntityManager, entity: EntityClass<Entity>): Table<Entity> {
  const { tableName, props } = em.getMetadata(entity);
  const columns = props.map(({ name, fieldNames, runtimeType }) => ({
    property: name as keyof Entity,
    column: fieldNames[0] ?? name,
    read: READERS[runtimeType] ?? ((value) => value),
  }));
  return { name: tableName, columns };
}

/** By the property's type in memory; of other types the driver gives the value itself. */
const READERS: Readonly<Record<string, Column<never>['read']>> = {
  bigint: (value: string) => BigInt(value),
  number: (value: string | number) => Number(value),
  Date: (value: string) => toDate(value),
};
