// Sends mails: claims some under a lease, hands them over outside of any transaction, and records how it went. A kill
// after the server has taken a mail repeats that one at most, under the same Message-ID.

import { randomUUID } from 'node:crypto';
import { toDate } from '../database/connection.ts';
import { claimMails, type ClaimedMail } from '../database/queries/mail/claim-mails.ts';
import { endMails, recordMail, type MailOutcome } from '../database/queries/mail/end-mails.ts';
import type { Deps } from '../domain/deps.ts';
import { judgeMail } from '../domain/mail/customer-mails.ts';
import type { Worker } from '../loop.ts';
import { CUSTOMER_TEMPLATES } from '../mail/mails.ts';
import { renderMail, type MailSettings } from '../mail/render.ts';
import type { Smtp } from './smtp.ts';

const LEASE_MS = 60_000;
/** An attempt ends before its lease does. */
const ATTEMPT_MS = 45_000;
/** How many mails a process hands over at once. */
const AT_ONCE = 8;
const MINUTE_MS = 60_000;
/** After each failed attempt: 1, 5, 15 minutes, 1, 3, 6, 12 hours. */
export const RETRY_MINUTES = [1, 5, 15, 60, 180, 360, 720] as const;
/** How long mails that are being handed over may still take when the process stops. */
const STOP_WITHIN_MS = 4_000;

/**
 * skipped: a mail to a customer whose reason is gone. lost: handed over, but recorded by nobody, for its lease had
 * ended.
 */
export const MAIL_RESULTS = ['sent', 'retry', 'failed', 'skipped', 'lost'] as const;
export type MailResult = (typeof MAIL_RESULTS)[number];

interface MailerOptions {
  readonly smtp: Smtp;
  readonly settings: MailSettings;
  readonly onAttempt: (result: MailResult, seconds: number) => void;
}

/** The worker, which several processes may run. */
export interface Mailer extends Worker {
  /** Takes no more mails, and ends those under way in four seconds; they are sent again later. */
  stop(): Promise<void>;
}

export function createMailer(deps: Pick<Deps, 'db' | 'clock' | 'log'>, options: MailerOptions): Mailer {
  const { db, clock } = deps;
  const stopped = new AbortController();
  let isStopping = false;
  let underWay: Promise<unknown> = Promise.resolve();

  return {
    name: 'send-mails',
    async processNext() {
      if (isStopping) return false;
      const [now, lease] = [clock.now(), randomUUID()];
      const leasedUntil = new Date(now.getTime() + LEASE_MS);
      const mails = await claimMails(db.em, { now, lease, leasedUntil, limit: AT_ONCE });
      const all = Promise.all(mails.map((mail) => attempt(deps, options, mail, { lease, signal: stopped.signal })));
      underWay = all.catch(() => undefined);
      await all;
      return mails.length === AT_ONCE;
    },
    async stop() {
      isStopping = true;
      const timer = setTimeout(() => stopped.abort(), STOP_WITHIN_MS);
      await underWay;
      clearTimeout(timer);
    },
  };
}

/** Makes one attempt and records it. */
async function attempt(
  { db, clock, log }: Pick<Deps, 'db' | 'clock' | 'log'>,
  { smtp, settings, onAttempt }: MailerOptions,
  mail: ClaimedMail,
  { lease, signal }: { readonly lease: string; readonly signal: AbortSignal },
): Promise<void> {
  const startedAt = performance.now();
  const judged = await judgeMail(db.em, settings, mail);
  const outcome = await outcomeOf(judged, clock, (ready) =>
    smtp.send(
      { id: ready.id, to: ready.recipient, ...renderMail(ready, settings) },
      AbortSignal.any([signal, AbortSignal.timeout(ATTEMPT_MS)]),
    ),
  );
  const isRecorded = await recordMail(db.em, { id: mail.id, lease }, outcome, clock.now());
  const results = { SENT: 'sent', FAILED: 'failed', QUEUED: 'retry', SKIPPED: 'skipped' } as const;
  onAttempt(isRecorded ? results[outcome.status] : 'lost', (performance.now() - startedAt) / 1_000);
  const fields = { mail: mail.id, template: mail.template, attempt: mail.attempts + 1 };
  if (!isRecorded) log.warn(fields, 'the lease of a mail ended before its attempt was recorded; it may be sent again');
  else if (outcome.status === 'FAILED') log.warn({ ...fields, code: outcome.failure }, 'a mail was given up');
}

/** A mail ends if its server refuses it, or before its link does. */
async function outcomeOf(
  mail: ClaimedMail | null,
  clock: Deps['clock'],
  send: (mail: ClaimedMail) => ReturnType<Smtp['send']>,
): Promise<MailOutcome> {
  if (mail === null) return { status: 'SKIPPED' };
  const { attempts, expiresAt } = mail;
  const endsAt = expiresAt === null ? Infinity : toDate(expiresAt).getTime();
  if (endsAt <= clock.now().getTime()) return { status: 'FAILED', failure: 'EEXPIRED' };
  const failure = await send(mail);
  if (failure === null) return { status: 'SENT', mail };
  const wait = failure.isFinal ? undefined : RETRY_MINUTES[attempts];
  if (wait === undefined) return { status: 'FAILED', failure: failure.code };
  const dueAt = new Date(clock.now().getTime() + wait * MINUTE_MS);
  if (dueAt.getTime() >= endsAt) return { status: 'FAILED', failure: failure.code };
  return { status: 'QUEUED', failure: failure.code, dueAt };
}

/** How many mails are ended at once where none is sent. */
const ENDED_AT_ONCE = 500;

/**
 * The worker where no mail leaves. Ended at once, mails do not wait for a mail server that somebody names a year later.
 */
export function createMailEnd({ db, clock }: Pick<Deps, 'db' | 'clock'>): Worker {
  const limits = { limit: ENDED_AT_ONCE, except: [] };
  return {
    name: 'send-mails',
    processNext: async () => (await endMails(db.em, 'SKIPPED', clock.now(), limits)) === ENDED_AT_ONCE,
  };
}

/** The worker of a sandbox without a mail server, whose mailbox shows mails as if they were sent. */
export function createMailShow({ db, clock }: Pick<Deps, 'db' | 'clock'>, settings: MailSettings): Worker {
  const limits = { limit: ENDED_AT_ONCE, except: CUSTOMER_TEMPLATES };
  return {
    name: 'send-mails',
    async processNext() {
      const [now, lease] = [clock.now(), randomUUID()];
      const ended = await endMails(db.em, 'SENT', now, limits);
      const leasedUntil = new Date(now.getTime() + LEASE_MS);
      const mails = await claimMails(db.em, { now, lease, leasedUntil, limit: ENDED_AT_ONCE });
      for (const mail of mails) {
        const judged = await judgeMail(db.em, settings, mail);
        const outcome =
          judged === null ? ({ status: 'SKIPPED' } as const) : ({ status: 'SENT', mail: judged } as const);
        await recordMail(db.em, { id: mail.id, lease }, outcome, now);
      }
      return ended === ENDED_AT_ONCE || mails.length === ENDED_AT_ONCE;
    },
  };
}
