// The way to the mail server: what is sent, what is made of its answers, and TLS.

import { afterEach, describe, expect, it } from '@jest/globals';
import { createSmtp, type OutgoingMail, type SmtpOptions } from '../../src/mailer/smtp.ts';
import { RECEIVER_CERTIFICATE as cert, RECEIVER_KEY as key } from '../support/tls.ts';
import { until } from '../support/until.ts';
import { closeMailServers, startMailServer, type MailServer } from './mail-server.fixture.ts';

afterEach(() => closeMailServers());

const MAIL: OutgoingMail = {
  ...{ id: 'eml_1', to: 'ann@shop.example', subject: 'Grüße', text: 'Hello\n', html: '<p>Hello</p>' },
  ...{ replyTo: null, unsubscribe: null },
};
const smtpTo = ({ port }: Pick<MailServer, 'port'>, more: Partial<SmtpOptions> = {}) =>
  createSmtp({
    ...{ host: '127.0.0.1', port, isTls: false, login: null, requireTls: false, ownHost: 'pay.kettle.example' },
    ...{ from: { name: 'Kettle', address: 'no-reply@kettle.example' }, ...more },
  });
const never = new AbortController().signal;

describe('a mail', () => {
  it('has its id as Message-ID, text and HTML, and one recipient', async () => {
    const server = await startMailServer();
    expect(await smtpTo(server).send(MAIL, never)).toBeNull();
    const [mail] = server.received;
    expect(mail).toMatchObject({ from: 'no-reply@kettle.example', to: ['ann@shop.example'] });
    expect(mail?.source).toContain('Message-ID: <eml_1@pay.kettle.example>');
    expect(mail?.source).toContain('From: Kettle <no-reply@kettle.example>');
    expect(mail?.source).toMatch(/^To: ann@shop\.example\r$/m);
    expect(mail?.source).toContain('Auto-Submitted: auto-generated');
    expect(mail?.source).toMatch(/Content-Type: text\/plain[^]*Content-Type: text\/html/);
  });

  it.each([
    ['to', 'ann@shop.example\r\nBcc: all@shop.example'],
    ['subject', 'Hello\nBcc: all@shop.example'],
    ['id', 'eml_1\r\n'],
    ['replyTo', 'help@shop.example\r\nBcc: all@shop.example'],
    ['unsubscribe', 'https://pay.kettle.example\r\nBcc: all@shop.example'],
    ['unsubscribe', 'https://pay.kettle.example\r\nBcc: x'],
  ])('with a line break in its %s is refused before the server is asked', async (part, text) => {
    const server = await startMailServer();
    expect(await smtpTo(server).send({ ...MAIL, [part]: text }, never)).toEqual({ code: 'EUNSAFE', isFinal: true });
    expect(server.begun()).toBe(0);
  });

  it('goes to one address, whatever that looks like', async () => {
    const server = await startMailServer();
    await smtpTo(server).send({ ...MAIL, to: 'ann@shop.example, all@shop.example' }, never);
    expect(server.received.flatMap(({ to }) => to)).not.toContain('all@shop.example');
  });
});

describe('an answer', () => {
  it.each([
    [421, false],
    [450, false],
    [550, true],
    [552, true],
  ])('%i: final is %p', async (code, isFinal) => {
    const server = await startMailServer();
    server.behave(code);
    expect(await smtpTo(server).send(MAIL, never)).toEqual({ code: String(code), isFinal });
  });

  it('that never comes is waited for until the signal, and the connection is closed', async () => {
    const server = await startMailServer();
    server.behave('silent');
    const stop = new AbortController();
    const sent = smtpTo(server).send(MAIL, stop.signal);
    await until(() => Promise.resolve(server.begun() === 1));
    stop.abort();
    expect(await sent).toEqual({ code: 'EABORTED', isFinal: false });
  });

  it('that breaks off is not final', async () => {
    const server = await startMailServer();
    server.behave('hang up');
    expect(await smtpTo(server).send(MAIL, never)).toMatchObject({ isFinal: false });
  });

  it('of no server at all is not final', async () => {
    const server = await startMailServer();
    await server.close();
    expect(await smtpTo(server).send(MAIL, never)).toMatchObject({ isFinal: false });
  });
});

describe('a login', () => {
  const auth = {
    authOptional: false,
    allowInsecureAuth: true,
    onAuth: ({ password }: { password?: string | undefined }, _: unknown, done: (e: null, r?: object) => void) =>
      done(null, password === 'right' ? { user: 'kettle' } : {}),
  } as const;

  it('is made, and a wrong one says nothing of the mail', async () => {
    const server = await startMailServer(auth as never);
    const login = (pass: string) => smtpTo(server, { login: { user: 'kettle', pass } }).send(MAIL, never);
    expect(await login('right')).toBeNull();
    expect(await login('wrong')).toEqual({ code: '535', isFinal: false });
    expect(server.received).toHaveLength(1);
  });
});

describe('TLS', () => {
  it('that is compulsory is not gone without', async () => {
    const server = await startMailServer();
    expect(await smtpTo(server, { requireTls: true }).send(MAIL, never)).toMatchObject({ isFinal: false });
    expect(server.begun()).toBe(0);
  });

  it.each([[{ isTls: true }], [{ requireTls: true }]])('refuses a certificate of nobody: %j', async (more) => {
    const isTls = 'isTls' in more;
    const server = await startMailServer({ secure: isTls, disabledCommands: [], cert, key });
    expect(await smtpTo(server, more).send(MAIL, never)).toMatchObject({ isFinal: false });
    expect(server.begun()).toBe(0);
  });
});
