// Checks what saves the database when its server is lost: standbys, and the archive of its log.

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
