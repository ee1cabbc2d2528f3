// Starts what a process of the mailer role does: it sends mails, or ends them where none are sent.

import { Counter, Histogram, type Registry } from 'prom-client';
import type { Config } from '../../config/config.ts';
import type { Database } from '../../database/connection.ts';
import { readMailQueue } from '../../database/queries/mail/mail-queue.ts';
import type { Deps } from '../../domain/deps.ts';
import type { MailSettings } from '../../mail/render.ts';
import { createMailEnd, createMailer, createMailShow, MAIL_RESULTS, type MailResult } from '../../mailer/send-mails.ts';
import { createMailRelay } from '../../mailer/relay-mails.ts';
import { createSmtp } from '../../mailer/smtp.ts';
import { watchCostly } from '../../server/metrics/cached-gauges.ts';
import type { Secrets } from '../../values/secrets/keys.ts';
import type { Loops, Stops } from '../lifecycle.ts';

/** What mails need of this gateway. */
export const mailSettingsOf = ({ baseUrl, payUrl }: Config, { linkKey, customerKey }: MailSecrets): MailSettings => ({
  ...{ baseUrl, payUrl, linkKey, customerKey },
});

type MailSecrets = Pick<Secrets, 'linkKey' | 'customerKey'>;

interface MailerParts {
  readonly loops: Loops;
  readonly stops: Stops;
  readonly registry: Registry;
}

/** Mails are written by other processes too, which cannot wake this one. */
const IDLE_MS = 500;

/** Starts the workers; its stop comes before that of the loops, which wait for the mails under way. */
export function startMailer(
  config: Config,
  deps: Deps & { readonly secrets: MailSecrets },
  { loops, stops, registry }: MailerParts,
): void {
  const onAttempt = watchMails(registry, deps.db);
  const settings = mailSettingsOf(config, deps.secrets);
  const customers = { keys: deps.secrets, perDay: config.mailCustomerPerDay };
  loops.start(createMailRelay(deps, customers), { idleMs: IDLE_MS });
  if (config.smtp === null) {
    const end = config.environment === 'sandbox' ? createMailShow(deps, settings) : createMailEnd(deps);
    loops.start(end, { idleMs: IDLE_MS });
    return;
  }
  const [ownHost, requireTls] = [new URL(config.baseUrl).hostname, config.environment === 'live'];
  const mailer = createMailer(deps, { smtp: createSmtp({ ...config.smtp, ownHost, requireTls }), settings, onAttempt });
  loops.start(mailer, { idleMs: IDLE_MS });
  stops.push(() => mailer.stop());
}

/** Registers the metrics of mails; returns what counts an attempt. */
function watchMails(registry: Registry, { em }: Database): (result: MailResult, seconds: number) => void {
  const registers = [registry];
  const attempts = new Counter({
    name: 'turnpike_mail_attempts_total',
    help: 'Attempts to hand a mail to the mail server, by what they came to',
    labelNames: ['result'] as const,
    registers,
  });
  // Start at zero, so that the first of a kind shows as an increase.
  for (const result of MAIL_RESULTS) attempts.inc({ result }, 0);
  const durations = new Histogram({
    name: 'turnpike_mail_attempt_seconds',
    help: 'How long attempts took',
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers,
  });
  watchCostly(registry, () => readMailQueue(em), [
    { name: 'turnpike_mail_due', help: 'Mails that are due and not sent', of: ({ due }) => due },
    {
      name: 'turnpike_mail_oldest_due_seconds',
      help: 'For how long the mail has been due that is due longest and was not sent',
      of: ({ oldestSeconds }) => oldestSeconds,
    },
  ]);
  return (result, seconds) => {
    attempts.inc({ result });
    durations.observe(seconds);
  };
}
