// Tells programs and databases that do not fit apart: by the version of the schema, and by the oldest one whose
// programs may run beside it.

import { VERSION } from './program.ts';
import { query, type Database, type EntityManager } from './connection.ts';

/** What a database says of its schema. */
export interface SchemaVersion {
  /** How many migrations it has; 0: it is empty. */
  readonly version: number;
  /** Programs that know only an older schema than this one must not run on it. */
  readonly oldestBeside: number;
  /** The version of the program that made it so; null for an empty one. */
  readonly appliedBy: string | null;
}

/** The database has a schema on which this program must not run; the message says which, and what to do. */
export class SchemaMismatch extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'SchemaMismatch';
  }
}

const EMPTY: SchemaVersion = { version: 0, oldestBeside: 0, appliedBy: null };
/** The first release kept no versions. */
const FIRST: SchemaVersion = { version: 1, oldestBeside: 1, appliedBy: '0.2.0' };

/** Reads the version of the schema. It needs no right but to read. */
export async function readSchemaVersion(em: EntityManager): Promise<SchemaVersion> {
  const tables = `select to_regclass('schema_version') is not null as versions, to_regclass('migration') is not null as any`;
  const [found] = await query<{ versions: boolean; any: boolean }>(em, tables);
  if (!found?.any) return EMPTY;
  if (!found.versions) {
    // A start that was killed before its first step was done has left the migrator's table empty.
    const steps = await query(em, 'select 1 from migration limit 1');
    return steps.length === 0 ? EMPTY : FIRST;
  }
  const [row] = await query<SchemaVersion>(
    em,
    `select version, (select max(oldest_beside) from schema_version)::int as "oldestBeside", applied_by as "appliedBy"
     from schema_version order by version desc limit 1`,
  );
  return row ?? FIRST;
}

/** Throws `SchemaMismatch` if the schema is so new that this program must not run on it. */
export function refuseNewer({ version, oldestBeside, appliedBy }: SchemaVersion, known: number): void {
  if (known >= oldestBeside) return;
  throw new SchemaMismatch(
    `DATABASE_URL: the database has schema ${version} of Turnpike ${String(appliedBy)}, beside which only programs that know schema ${oldestBeside} may run; this is Turnpike ${VERSION}, which knows ${known}: start a newer one`,
  );
}

/** Throws `SchemaMismatch` unless this program may run on the schema as it is. */
export async function requireFitting({ em, steps }: Pick<Database, 'em' | 'steps'>): Promise<void> {
  const [found, known] = [await readSchemaVersion(em), steps.length];
  refuseNewer(found, known);
  if (found.version >= known) return;
  const has = found.version === 0 ? 'is empty' : `has schema ${found.version}`;
  throw new SchemaMismatch(
    `DATABASE_URL: the database ${has}, and Turnpike ${VERSION} needs schema ${known}: run npm run migrate`,
  );
}
