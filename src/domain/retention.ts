// Prunes what is kept only for a time: idempotency keys, ended sessions, recipients of mails, browsers not seen for a
// year, the API log, delivery changes, hours of endpoints, rates, files of former builds and, if configured, old
// events. Where history has partitions, it makes and drops these.

import { dropPartition, endsBefore, makePartitions, type Partitioned } from '../database/queries/partitions.ts';
import { pruneEvents, pruneRows } from '../database/queries/prune.ts';
import { hasSqlState, LOCK_NOT_AVAILABLE } from '../database/sql-state.ts';
import { inTransaction, type Deps } from './deps.ts';

export interface RetentionOptions {
  /** How many days API-log rows are kept. */
  readonly apiLogDays: number;
  /** How many days events and their delivery records are kept; null for ever. */
  readonly eventDays: number | null;
}

/** Answers to idempotency keys are promised for 24 hours; twice that leaves a margin. */
const IDEMPOTENCY_HOURS = 48;
/** Live subscriptions read delivery changes within moments of the commit. */
const DELIVERY_CHANGES_HOURS = 1;
/** For ended sessions and challenges: nothing refers to them, and the audit log has the sign-ins. */
const SESSION_HOURS = 24;
/** To whom a mail was, and the links and invitations that ended so long ago. */
const MAIL_HOURS = 90 * 24;
/** Browsers that people signed in from, since they were seen last. */
const DEVICE_HOURS = 365 * 24;
/** Receipts of late deposits ask for rates of up to a day before them. */
const RATE_HOURS = 7 * 24;
/** Hours of endpoints: a day more than the longest statistics. */
const ENDPOINT_HOURS = 8 * 24;
/** Files of the console, since a process with them ran last. */
const CONSOLE_FILE_HOURS = 24;
const HOUR_MS = 3_600_000;

/** Ids have the time of the machine that made them. */
const CLOCK_MARGIN_HOURS = 24;

/** Creates the worker: every hour it deletes batches until nothing is too old. Several processes may run it. */
export function createRetention(deps: Pick<Deps, 'db' | 'clock' | 'log'>, { apiLogDays, eventDays }: RetentionOptions) {
  let lookedAt = -Infinity;
  let madeAt = -Infinity;
  let late: Partitioned | null = null;
  const before = (hours: number) => new Date(deps.clock.now().getTime() - hours * HOUR_MS);

  return {
    name: 'retention',
    async processNext(): Promise<boolean> {
      if (performance.now() - lookedAt < HOUR_MS) return false;
      const { em } = deps.db;
      if (performance.now() - madeAt >= HOUR_MS) {
        late = null;
        for (const table of ['api_log', 'webhook_attempt'] as const) if (!(await makeAhead(deps, table))) late = table;
        madeAt = performance.now();
      }
      const more = [
        await pruneRows(em, 'idempotency', before(IDEMPOTENCY_HOURS)),
        await pruneRows(em, 'deliveryChanges', before(DELIVERY_CHANGES_HOURS)),
        await pruneRows(em, 'sessions', before(SESSION_HOURS)),
        await pruneRows(em, 'challenges', before(SESSION_HOURS)),
        await pruneRows(em, 'mails', before(MAIL_HOURS)),
        await pruneRows(em, 'mailLinks', before(MAIL_HOURS)),
        await pruneRows(em, 'devices', before(DEVICE_HOURS)),
        await pruneRows(em, 'invitations', before(MAIL_HOURS)),
        await pruneRows(em, 'endpointHours', before(ENDPOINT_HOURS)),
        await pruneRows(em, 'rates', before(RATE_HOURS)),
        await pruneRows(em, 'consoleFiles', before(CONSOLE_FILE_HOURS)),
        await pruneApiLog(deps, before(apiLogDays * 24)),
        eventDays !== null && (await pruneEventsOf(deps, before(eventDays * 24))),
      ];
      if (more.includes(true)) return true;
      if (late !== null) {
        madeAt = -Infinity;
        throw new Error(`${late} is always in use: it has partitions for less than a month`);
      }
      lookedAt = performance.now();
      return false;
    },
  };
}

/** Partitions are made three months ahead. With fewer days left, that they cannot be made is a failure of the loop. */
const LATE_HOURS = 31 * 24;

/**
 * Makes the partitions of the coming months. They are so early that a table in use can wait for the next hour. Returns
 * false if that has gone on for too long.
 */
async function makeAhead({ db, clock, log }: Pick<Deps, 'db' | 'clock' | 'log'>, table: Partitioned): Promise<boolean> {
  try {
    const made = await makePartitions(db.em, table, clock.now());
    if (made) log.info({ table, made }, 'made partitions of the coming months');
    return true;
  } catch (error) {
    if (!hasSqlState(error, LOCK_NOT_AVAILABLE)) throw error;
    log.info({ table }, 'a table is in use for long: its partitions are made later');
    return !(await endsBefore(db.em, table, new Date(clock.now().getTime() + LATE_HOURS * HOUR_MS)));
  }
}

/** As `dropPartition`; `busy` where someone uses the table for long, such as a dump: then another hour will do. */
async function drop(
  { db, log }: Pick<Deps, 'db' | 'log'>,
  table: Partitioned,
  instant: Date,
): Promise<boolean | null | 'busy'> {
  try {
    return await dropPartition(db.em, table, instant);
  } catch (error) {
    if (!hasSqlState(error, LOCK_NOT_AVAILABLE)) throw error;
    log.info({ table }, 'a table is in use for long: its oldest partition is dropped later');
    return 'busy';
  }
}

/** With partitions whole months are dropped, and nothing is deleted. */
async function pruneApiLog(deps: Pick<Deps, 'db' | 'log'>, before: Date): Promise<boolean> {
  const dropped = await drop(deps, 'api_log', before);
  return dropped === null ? pruneRows(deps.db.em, 'apiLog', before) : dropped === true;
}

/**
 * With partitions events are kept to the end of their month, so that nearly all of their attempts go with a partition.
 * It is dropped before their deliveries are deleted: there are no attempts that an erasure could not find.
 */
async function pruneEventsOf(deps: Pick<Deps, 'db' | 'clock' | 'log'>, before: Date): Promise<boolean> {
  const month = startOfMonth(new Date(before.getTime() - CLOCK_MARGIN_HOURS * HOUR_MS));
  const dropped = await drop(deps, 'webhook_attempt', month);
  if (dropped === true) return true;
  if (dropped === 'busy') return false;
  return inTransaction(deps, (inside) => pruneEvents(inside, dropped === null ? before : month));
}

const startOfMonth = (at: Date): Date => new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), 1));
