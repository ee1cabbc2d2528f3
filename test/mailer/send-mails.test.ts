// Sending mails: once each, again after failures, and at most the one mail again that a kill or a lost lease leaves
// open, under the same Message-ID.

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { writeMail } from '../../src/domain/mail/mails.ts';
import { createMailEnd, createMailer, createMailShow, RETRY_MINUTES } from '../../src/mailer/send-mails.ts';
import { createSmtp, type SmtpOptions } from '../../src/mailer/smtp.ts';
import { linkSecret } from '../../src/values/secrets/mail-links.ts';
import { createSetup, minutesLater, START, type Setup } from '../domain/book.fixture.ts';
import { until } from '../support/until.ts';
import { closeMailServers, startMailServer, type MailServer } from './mail-server.fixture.ts';
import type { MailerTask } from './mailer-program.fixture.ts';

let setup: Setup;
let server: MailServer;
const linkKey = Buffer.alloc(32, 1);
const settings = {
  ...{ baseUrl: 'https://pay.kettle.example', payUrl: 'https://pay.kettle.example/pay' },
  ...{ linkKey, customerKey: Buffer.alloc(32, 3) },
};

beforeAll(async () => {
  setup = await createSetup();
});
beforeEach(async () => {
  await setup.sql('delete from mail');
  setup.setNow(START);
  server = await startMailServer();
});
afterEach(() => closeMailServers());
afterAll(() => setup.stop());

const smtpOptions = (): SmtpOptions => ({
  ...{ host: '127.0.0.1', port: server.port, isTls: false, login: null, requireTls: false },
  ...{ ownHost: 'pay.kettle.example', from: { name: '', address: 'no-reply@kettle.example' } },
});

function mailerOf(deps = setup.deps) {
  const results: string[] = [];
  const onAttempt = (result: string) => void results.push(result);
  return { mailer: createMailer(deps, { smtp: createSmtp(smtpOptions()), settings, onAttempt }), results };
}

const write = (recipient: string, more: { expiresAt?: Date; dedupe?: string; dueAt?: Date } = {}) =>
  writeMail(
    setup.deps.db.em,
    { template: 'INVITATION', recipient, params: { company: 'Kettle' }, link: 'ivn_1', ...more },
    setup.deps.clock.now(),
  );

interface Row {
  readonly status: string;
  readonly attempts: number;
  readonly failure: string | null;
  readonly due: number;
}

/** The mails; `due` in minutes after the start. */
const rows = () =>
  setup.sql<Row>(
    `select status, attempts, failure, extract(epoch from due_at - $1)::int / 60 as due from mail order by recipient`,
    [START],
  );
const messageIds = () => server.received.map(({ source }) => /^Message-ID: <(.*)>\r$/m.exec(source)?.[1] ?? '');

describe('a mail', () => {
  it('is sent once, and its link is in the mail alone', async () => {
    await write('ann@shop.example');
    const { mailer, results } = mailerOf();
    for (let run = 0; run < 3; run += 1) await mailer.processNext();
    expect([await rows(), results]).toEqual([[{ status: 'SENT', attempts: 1, failure: null, due: 0 }], ['sent']]);
    const secret = linkSecret(linkKey, 'ivn_1');
    const [{ source = '' } = {}] = server.received;
    expect(source.replaceAll('=\r\n', '')).toContain(secret);
    const [{ stored } = { stored: '' }] = await setup.sql<{ stored: string }>(
      'select to_json(m)::text as stored from mail m',
    );
    expect(stored).not.toContain(secret.split('.')[1]);
  });

  it('is written once for a cause, and sent when it is due', async () => {
    for (let time = 0; time < 2; time += 1) await write('ann@shop.example', { dedupe: 'a', dueAt: minutesLater(2) });
    const { mailer } = mailerOf();
    await mailer.processNext();
    expect(server.received).toHaveLength(0);
    setup.setNow(minutesLater(2));
    await mailer.processNext();
    expect([server.received.length, (await rows()).length]).toEqual([1, 1]);
  });

  it('is tried again after 1, 5, 15 minutes, 1, 3, 6, 12 hours, and then given up', async () => {
    await write('ann@shop.example');
    server.behave(450);
    const { mailer, results } = mailerOf();
    let minutes = 0;
    for (const [nth, wait] of RETRY_MINUTES.entries()) {
      await mailer.processNext();
      minutes += wait;
      expect(await rows()).toEqual([{ status: 'QUEUED', attempts: nth + 1, failure: '450', due: minutes }]);
      await mailer.processNext();
      expect(server.begun()).toBe(nth + 1);
      setup.setNow(minutesLater(minutes));
    }
    await mailer.processNext();
    expect(await rows()).toEqual([{ status: 'FAILED', attempts: 8, failure: '450', due: minutes }]);
    expect(results).toEqual([...Array<string>(7).fill('retry'), 'failed']);
  });

  it('ends when its server refuses it', async () => {
    await write('ann@shop.example');
    server.behave(550);
    await mailerOf().mailer.processNext();
    expect(await rows()).toEqual([{ status: 'FAILED', attempts: 1, failure: '550', due: 0 }]);
  });

  it('ends with its link: it is neither sent afterwards, nor tried again for then', async () => {
    await write('late@shop.example', { expiresAt: START });
    await write('soon@shop.example', { expiresAt: minutesLater(1) });
    server.behave(450);
    await mailerOf().mailer.processNext();
    expect((await rows()).map(({ status, failure }) => [status, failure])).toEqual([
      ['FAILED', 'EEXPIRED'],
      ['FAILED', '450'],
    ]);
    expect(server.begun()).toBe(1);
  });
});

describe('several mailers', () => {
  it('send each mail once', async () => {
    for (let nth = 0; nth < 40; nth += 1) await write(`p${nth}@shop.example`);
    const [one, two] = [mailerOf(), mailerOf(await setup.another())];
    const work = async ({ mailer }: ReturnType<typeof mailerOf>) => {
      while (await mailer.processNext());
    };
    await Promise.all([work(one), work(two)]);
    await work(one);
    expect(new Set(messageIds()).size).toBe(40);
    expect(server.received).toHaveLength(40);
    expect((await rows()).every(({ status, attempts }) => status === 'SENT' && attempts === 1)).toBe(true);
  });

  it('leave a mail alone that one of them has, and the one whose lease has ended records nothing', async () => {
    await write('ann@shop.example');
    const [slow, other] = [mailerOf(), mailerOf(await setup.another())];
    server.onceTaken(async () => {
      await other.mailer.processNext();
      expect(server.received).toHaveLength(1);
      setup.setNow(minutesLater(1));
      await other.mailer.processNext();
    });
    await slow.mailer.processNext();
    expect([slow.results, other.results]).toEqual([['lost'], ['sent']]);
    expect(await rows()).toEqual([{ status: 'SENT', attempts: 1, failure: null, due: 0 }]);
    const [first, second] = messageIds();
    expect([server.received.length, first]).toEqual([2, second]);
  });
});

describe('a mailer', () => {
  it('that is killed once the server has a mail repeats that one alone, under the same Message-ID', async () => {
    const program = fork(new URL('./mailer-program.fixture.js', import.meta.url), { execArgv: [] });
    const gone = once(program, 'exit');
    server.onceTaken(async () => {
      program.kill('SIGKILL');
      await gone;
    });
    const sentAt = new Date();
    setup.setNow(sentAt);
    await write('ann@shop.example');
    program.send({ databaseUrl: setup.url, smtp: smtpOptions() } satisfies MailerTask);
    await gone;
    await write('bo@shop.example');
    setup.setNow(new Date(Date.now() + 120_000));
    const { mailer } = mailerOf();
    while (await mailer.processNext());
    await mailer.processNext();
    const [first, ...rest] = messageIds();
    expect(server.received.map(({ to }) => to[0]).sort()).toEqual([
      'ann@shop.example',
      'ann@shop.example',
      'bo@shop.example',
    ]);
    expect(rest.filter((id) => id === first)).toHaveLength(1);
    expect((await rows()).map(({ status }) => status)).toEqual(['SENT', 'SENT']);
  }, 120_000);

  it('that is stopped leaves what its server keeps silent about for later', async () => {
    server.behave('silent');
    await write('ann@shop.example');
    const { mailer, results } = mailerOf();
    const run = mailer.processNext();
    await until(() => Promise.resolve(server.begun() === 1));
    await Promise.all([mailer.stop(), run]);
    expect(results).toEqual(['retry']);
    expect(await rows()).toEqual([{ status: 'QUEUED', attempts: 1, failure: 'EABORTED', due: 1 }]);
    expect(await mailer.processNext()).toBe(false);
  }, 30_000);

  it('holds no connection to the database while the server keeps silent', async () => {
    server.behave('silent');
    for (let nth = 0; nth < 8; nth += 1) await write(`p${nth}@shop.example`);
    const { mailer } = mailerOf();
    const run = mailer.processNext();
    await until(() => Promise.resolve(server.begun() === 8));
    const { totalCount, idleCount } = setup.deps.db.pool;
    expect(totalCount - idleCount).toBe(0);
    await Promise.all([mailer.stop(), run]);
  }, 30_000);

  it.each(['SENT', 'SKIPPED'] as const)('ends mails as %s where none is sent', async (status) => {
    await write('ann@shop.example');
    await (status === 'SENT' ? createMailShow(setup.deps, settings) : createMailEnd(setup.deps)).processNext();
    expect((await rows()).map((row) => row.status)).toEqual([status]);
  });
});
