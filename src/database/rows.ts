// Reads and writes an entity's rows without MikroORM's unit of work: plain objects, many rows per statement. For hot
// paths, where the identity map and row-by-row updates cost more than the database work.

import type { Type } from '@mikro-orm/core';
import { RateType } from '../entities/rate-type.ts';
import { query, toDate, type EntityManager } from './connection.ts';

type EntityClass<Entity> = abstract new () => Entity;

/** A row as it was read, and as it should become. */
export interface RowChange<Entity> {
  readonly before: Entity;
  readonly after: Entity;
}

interface Column<Entity> {
  /** The property of the entity. */
  readonly property: keyof Entity;
  readonly column: string;
  /** Converts the driver's value to the property's. */
  readonly read: (value: never) => unknown;
  /** Converts the property's value to what JSON can carry to the column. */
  readonly write: (value: unknown) => unknown;
}

interface Table<Entity> {
  readonly name: string;
  readonly columns: readonly Column<Entity>[];
}

/** Reads the rows that match `clause` (`where …`, with `$1` parameters) as objects with the entity's properties. */
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

/** Inserts rows. Each must have all properties. */
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

/** Inserts a row unless there is one with the same unique key; returns whether it did. */
export async function insertNew<Entity extends object>(
  em: EntityManager,
  entity: EntityClass<Entity>,
  row: Entity,
): Promise<boolean> {
  const { name, columns } = tableOf(em, entity);
  const list = columns.map(({ column }) => column).join(', ');
  const inserted = await query(
    em,
    `insert into ${name} (${list}) select ${list} from ${given(name)} on conflict do nothing returning 1`,
    [toJson([row], columns)],
  );
  return inserted.length > 0;
}

/** Updates the changed rows by id, setting only the columns that changed in any of them. */
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
  // The array of ids makes the update begin with the key, whatever the statistics say of the table.
  const matches = `${name}.id = given.id and ${name}.id = any ($2)`;
  await query(em, `update ${name} set ${assignments} from ${given(name)} where ${matches}`, [
    toJson(rows, [...key, ...changed]),
    rows.map(({ id }) => id),
  ]);
}

/**
 * For statements that write rows of an entity beside others: its columns, and a row as `json_populate_record` takes it.
 */
export function rowWriter<Entity extends object>(em: EntityManager, entity: EntityClass<Entity>) {
  const { columns } = tableOf(em, entity);
  return {
    columns: columns.map(({ column }) => column),
    toRecord: (row: Entity): object =>
      Object.fromEntries(columns.map(({ property, column, write }) => [column, write(row[property])])),
  };
}

/** The rows passed as JSON in the first parameter, typed by the table's own columns. */
function given(table: string): string {
  return `json_populate_recordset(null::${table}, $1::json) as given`;
}

function toJson<Entity>(rows: readonly Entity[], columns: readonly Column<Entity>[]): string {
  const toRow = (row: Entity) =>
    Object.fromEntries(columns.map(({ property, column, write }) => [column, write(row[property])]));
  return JSON.stringify(rows.map(toRow));
}

/** The table and columns of an entity, from its definition. */
function tableOf<Entity extends object>(em: EntityManager, entity: EntityClass<Entity>): Table<Entity> {
  const { tableName, props } = em.getMetadata(entity);
  const columns = props.map(({ name, fieldNames, runtimeType, customType }) => ({
    property: name as keyof Entity,
    column: fieldNames[0] ?? name,
    ...((customType as Type<unknown> | undefined) instanceof RateType
      ? RATES
      : { read: READERS[runtimeType] ?? ((value: never) => value), write: toText }),
  }));
  return { name: tableName, columns };
}

const toText = (value: unknown): unknown => (typeof value === 'bigint' ? value.toString() : value);

const rateType = new RateType();
/** A rate is a bigint in memory like base units, but a decimal in the database. */
const RATES: Pick<Column<never>, 'read' | 'write'> = {
  read: (value: string) => rateType.convertToJSValue(value),
  write: (value) => rateType.convertToDatabaseValue(value as bigint | null),
};

/** By the property's type in memory. For other types the driver's value is used as it is. */
const READERS: Readonly<Record<string, Column<never>['read']>> = {
  bigint: (value: string) => BigInt(value),
  number: (value: string | number) => Number(value),
  Date: (value: string) => toDate(value),
};
