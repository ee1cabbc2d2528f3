// Checks what the database allows to our role: rights, time limits and connections.

import { countConnections } from '../../database/queries/server/connections.ts';
import { readRoleRights } from '../../database/queries/server/role.ts';
import type { Examination } from './examination.ts';
import { fault, ok, orOk, showDuration, warning, type Finding } from './finding.ts';
import { numberOf, openedOf } from './server.ts';

const LEAST_RIGHTS = 'use a role with no more than it needs (docs/operations/database.md)';

export async function checkRole(examination: Examination): Promise<Finding[]> {
  const { config } = examination;
  const { name, isSuperuser, attributes, ownsTables } = await readRoleRights(openedOf(examination).db.em);
  if (config.environment === 'sandbox' && config.databaseUrl === null) return [ok("the sandbox's own")];
  if (isSuperuser) {
    const found = `${name} is a superuser: the append-only ledger does not bind it`;
    return [config.environment === 'live' ? fault(found, LEAST_RIGHTS) : warning(found, LEAST_RIGHTS)];
  }
  return orOk(
    [
      attributes.length === 0 ? null : warning(`${name} has ${attributes.join(', ')}`, LEAST_RIGHTS),
      ownsTables && !config.migrateAtStart
        ? warning(`${name} owns the tables, though it does not migrate (MIGRATE_AT_START=false)`, LEAST_RIGHTS)
        : null,
    ],
    ownsTables ? `${name} owns the tables, and migrates them` : `${name} may not change the schema`,
  );
}

/** The longest that one of our statements should be allowed to take: migrations and checks of the whole book. */
const LEAST_LIMIT_MS = 60_000;
const LIMITS = ['statement_timeout', 'transaction_timeout'];

/** Limits of the role that would cut our own work off. Those against idle transactions we set ourselves. */
export async function checkTimeouts(examination: Examination): Promise<Finding[]> {
  const { server } = openedOf(examination);
  const short = LIMITS.map((name) => ({ name, ms: numberOf(server, name) })).filter(
    ({ ms }) => ms > 0 && ms < LEAST_LIMIT_MS,
  );
  const idleMs = numberOf(server, 'idle_in_transaction_session_timeout');
  const idle = idleMs === 0 ? 'idle transactions have no limit' : `idle transactions end after ${showDuration(idleMs)}`;
  return orOk(
    short.map(({ name, ms }) =>
      warning(
        `${name} is ${showDuration(ms)}: migrations and checks of the book may be cut off`,
        `alter role … reset ${name}, or set it to a minute or more`,
      ),
    ),
    `${idle}; statements are not cut off`,
  );
}

/** Each process may open as many connections as its pool has, and a replacement beside it as many again. */
export async function checkConnections(examination: Examination): Promise<Finding[]> {
  const { config, processes } = examination;
  const { db, server } = openedOf(examination);
  const { ours, others } = await countConnections(db.em);
  const reserved = numberOf(server, 'superuser_reserved_connections') + numberOf(server, 'reserved_connections');
  const free = numberOf(server, 'max_connections') - reserved - others;
  const { databasePoolMax } = config;
  const fitting = Math.max(0, Math.floor(free / databasePoolMax));
  const each = `${String(databasePoolMax)} each (DATABASE_POOL_MAX)`;
  const found = `${String(ours)} of ours are open, ${String(free)} may be: room for ${String(fitting)} processes of ${each}`;
  if (config.databasePooler) return [ok(`${String(ours)} of ours are open; the pooler shares them out`)];
  const remedy =
    'raise max_connections, lower DATABASE_POOL_MAX, or put PgBouncer in between (docs/operations/database.md)';
  const needed = processes ?? Math.ceil(ours / databasePoolMax) + 1;
  if (fitting >= needed) return [ok(found)];
  const lacking = `${found}, and ${String(needed)} are needed`;
  return [processes === null && fitting > 0 ? warning(lacking, remedy) : fault(lacking, remedy)];
}
