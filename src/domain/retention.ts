// Prunes what is kept only for a time: idempotency keys, ended sessions, recipients of mails, browsers not seen for a
// year, the API log, delivery changes, hours of endpoints, rates, files of former builds and, if configured, old
// events.

import { pruneEvents, pruneRows } from '../database/queries/prune.ts';
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

/** Creates the worker: every hour it deletes batches until nothing is too old. Several processes may run it. */
export function createRetention(deps: Pick<Deps, 'db' | 'clock'>, { apiLogDays, eventDays }: RetentionOptions) {
  let lookedAt = -Infinity;
  const before = (hours: number) => new Date(deps.clock.now().getTime() - hours * HOUR_MS);

  return {
    name: 'retention',
    async processNext(): Promise<boolean> {
      if (performance.now() - lookedAt < HOUR_MS) return false;
      const { em } = deps.db;
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
        await pruneRows(em, 'apiLog', before(apiLogDays * 24)),
        eventDays !== null && (await inTransaction(deps, (inside) => pruneEvents(inside, before(eventDays * 24)))),
      ];
      if (more.includes(true)) return true;
      lookedAt = performance.now();
      return false;
    },
  };
}
