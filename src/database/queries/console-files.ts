// The files of the console's builds that ran of late, by their paths. What is stored is executed by browsers: a seal
// says that a gateway stored it, which callers check.

import { query, type EntityManager } from '../connection.ts';

export interface ConsoleFile {
  /** Below the root of the site, without a slash at its start; it has a hash of the contents. */
  readonly path: string;
  readonly body: Buffer;
  readonly seal: Buffer;
}

// In the order of their paths: several processes say so of the same files.
const TOUCH = `
with own as (select path from console_file where path = any($1::text[]) order by path for update)
update console_file set kept_at = $2 from own where console_file.path = own.path
returning console_file.path, console_file.seal`;

/** Says that these files are of a build that runs; returns those that are stored, with their seals. */
export function touchConsoleFiles(
  em: EntityManager,
  paths: readonly string[],
  now: Date,
): Promise<Pick<ConsoleFile, 'path' | 'seal'>[]> {
  return query(em, TOUCH, [paths, now]);
}

const STORE = `
insert into console_file (path, body, seal, kept_at)
select path, body, seal, $4 from unnest($1::text[], $2::bytea[], $3::bytea[]) as file (path, body, seal) order by path
on conflict (path) do update set body = excluded.body, seal = excluded.seal, kept_at = excluded.kept_at`;

/** Stores files, in place of those of the same paths. */
export async function storeConsoleFiles(em: EntityManager, files: readonly ConsoleFile[], now: Date): Promise<void> {
  const column = (name: keyof ConsoleFile) => files.map((file) => file[name]);
  await query(em, STORE, [column('path'), column('body'), column('seal'), now]);
}

/** A stored file; null if there is none with this path. */
export async function readConsoleFile(em: EntityManager, path: string): Promise<ConsoleFile | null> {
  const [file] = await query<ConsoleFile>(em, 'select path, body, seal from console_file where path = $1', [path]);
  return file ?? null;
}
