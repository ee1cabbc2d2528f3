// The program of a mailer that a test can kill: it sends what is due until its parent is gone.

import { pino } from 'pino';
import { createDatabaseClock } from '../../src/database/clock.ts';
import { connectDatabase } from '../../src/database/connection.ts';
import { createLoop } from '../../src/loop.ts';
import { createMailer } from '../../src/mailer/send-mails.ts';
import { createSmtp, type SmtpOptions } from '../../src/mailer/smtp.ts';
import { PATIENT_DATABASE } from '../support/patience.ts';

/** The task, as the test sends it. */
export interface MailerTask {
  readonly databaseUrl: string;
  readonly smtp: SmtpOptions;
}

async function run({ databaseUrl, smtp }: MailerTask): Promise<void> {
  const log = pino({ level: 'silent' });
  const db = await connectDatabase({ url: databaseUrl, poolMax: 2, log, patience: PATIENT_DATABASE });
  const clock = await createDatabaseClock(db.em);
  const [baseUrl, payUrl] = ['https://pay.kettle.example', 'https://pay.kettle.example/pay'];
  const settings = { baseUrl, payUrl, linkKey: Buffer.alloc(32, 1), customerKey: Buffer.alloc(32, 3) };
  const mailer = createMailer({ db, clock, log }, { smtp: createSmtp(smtp), settings, onAttempt: () => undefined });
  createLoop(mailer, { idleMs: 20, log });
}

process.on('disconnect', () => process.exit());
process.once('message', (task: MailerTask) => void run(task));
