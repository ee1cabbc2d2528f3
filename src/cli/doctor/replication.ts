// Checks the database's standbys, those that are read from, and the archive of its log.

import type { Config } from '../../config/config.ts';
import type { Database } from '../../database/connection.ts';
import { applicationNameOf } from '../../database/program.ts';
import { readPosition, type WalPosition } from '../../database/replicas/wal-position.ts';
import { openReplica } from '../../database/replicas/replica.ts';
import {
  readArchive,
  readReplicationSlots,
  readStandbys,
  type Standby,
} from '../../database/queries/server/replication.ts';
import type { ServerSettings } from '../../database/queries/server/settings.ts';
import type { Examination } from './examination.ts';
import { fault, ok, orOk, showBytes, showDuration, warning, type Finding } from './finding.ts';
import { openedOf } from './server.ts';

/** Four segments of the write-ahead log. */
const MOST_BEHIND = 64 * 1024 * 1024;
const MOST_KEPT = 1024 * 1024 * 1024;
const LOOK_AT_STANDBY = 'look at that standby and at the network between; see docs/operations/database.md';

export async function checkReplication(examination: Examination): Promise<Finding[]> {
  const { db, server } = openedOf(examination);
  if (server.isStandby) return [ok('this is a standby; see its primary')];
  const [standbys, slots] = [await readStandbys(db.em), await readReplicationSlots(db.em)];
  const names = standbys.map(({ name, sync }) => `${name}${sync === null ? '' : ` (${sync})`}`).join(', ');
  return orOk(
    [
      judgeSynchronous(server, standbys),
      ...standbys.map(judgeStandby),
      slots.idle > 0 && slots.kept > MOST_KEPT
        ? warning(
            `${String(slots.idle)} replication slots are read by nobody, and keep ${showBytes(slots.kept)} of log`,
            'bring the standby back, or drop its slot before the disk is full',
          )
        : null,
    ],
    standbys.length === 0
      ? 'no standby: a lost server means a restore'
      : `${String(standbys.length)} connected: ${names}`,
  );
}

/** With a synchronous standby missing, every commit waits for it. */
function judgeSynchronous({ settings }: ServerSettings, standbys: readonly Standby[]): Finding | null {
  const wanted = settings.get('synchronous_standby_names') ?? '';
  if (wanted === '' || standbys.some(({ sync }) => sync === null || sync === 'sync' || sync === 'quorum')) return null;
  return fault(
    `no synchronous standby is connected, and synchronous_standby_names is ${wanted}: commits wait`,
    'bring a standby back, or, knowing what you risk, empty synchronous_standby_names',
  );
}

function judgeStandby({ name, state, behind }: Standby): Finding | null {
  if (state !== null && state !== 'streaming') return warning(`${name} is not streaming but ${state}`, LOOK_AT_STANDBY);
  if (behind === null || behind <= MOST_BEHIND) return null;
  return warning(`${name} is ${showBytes(behind)} behind`, LOOK_AT_STANDBY);
}

/** So far behind, it answers nothing that somebody has just changed something of. */
const MOST_BEHIND_SECONDS = 10;
const UNTIL_THEN = 'until then the primary answers what it would (docs/operations/database.md)';

export async function checkReplicas(examination: Examination): Promise<Finding[]> {
  const { config } = examination;
  const { db, server } = openedOf(examination);
  if (config.databaseReadUrls.length === 0) return [ok('not used: everything is read from the primary')];
  if (server.isStandby) return [ok('not checked: DATABASE_URL leads to a standby')];
  const position = await readPosition(db.pool);
  return Promise.all(config.databaseReadUrls.map((url) => checkReplica(config, db, { url, position })));
}

async function checkReplica(
  { databasePooler: pooled, preparedStatements }: Config,
  db: Database,
  { url, position }: { readonly url: string; readonly position: WalPosition },
): Promise<Finding> {
  const applicationName = applicationNameOf(db.steps.length);
  const replica = openReplica({ url, poolMax: 1, pooled, preparedStatements, applicationName, primary: db });
  try {
    const why = await replica.look(position);
    if (why !== null)
      return warning(
        `${replica.name} is not read from: ${why}`,
        `look at DATABASE_READ_URLS, and at that server; ${UNTIL_THEN}`,
      );
    const { bytes = 0, seconds = 0 } = replica.lag() ?? {};
    const found = `${replica.name} is ${showBytes(bytes)} behind, by ${showDuration(1_000 * seconds)}`;
    return seconds > MOST_BEHIND_SECONDS
      ? warning(found, `look for a long query there that holds up the replay, or a slow disk; ${UNTIL_THEN}`)
      : ok(bytes === 0 ? `${replica.name} has everything` : found);
  } finally {
    await replica.close();
  }
}

/** A busy database fills a segment of the log within minutes, and an idle one archives by archive_timeout. */
const ARCHIVED_WITHIN_MS = 60 * 60_000;
const BACK_UP = 'archive the log continuously (docs/operations/backup.md), and restore it somewhere once';

export async function checkBackup(examination: Examination): Promise<Finding[]> {
  const { config, now } = examination;
  const { db, server } = openedOf(examination);
  if (server.isStandby) return [ok('this is a standby; see its primary')];
  const { lastArchivedAt, lastFailedAt, failed } = await readArchive(db.em);
  if (server.settings.get('archive_mode') === 'off') {
    const found = 'the log is not archived: what came after the last dump would be lost';
    return [config.environment === 'live' ? warning(found, BACK_UP) : ok(found)];
  }
  const isFailing = lastFailedAt !== null && (lastArchivedAt === null || lastFailedAt > lastArchivedAt);
  if (isFailing)
    return [
      fault(
        `archiving the log fails since ${(lastArchivedAt ?? lastFailedAt).toISOString()} (${String(failed)} times)`,
        "look at the server's log for archive_command; its disk fills meanwhile",
      ),
    ];
  if (lastArchivedAt === null)
    return [warning('nothing was archived yet', 'take a first backup (docs/operations/backup.md)')];
  const ageMs = now().getTime() - lastArchivedAt.getTime();
  const found = `the log was last archived ${showDuration(ageMs)} ago`;
  return [
    ageMs > ARCHIVED_WITHIN_MS
      ? warning(found, 'set archive_timeout, so that an idle database archives, too')
      : ok(found),
  ];
}
