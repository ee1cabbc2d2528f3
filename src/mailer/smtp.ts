// The way to the mail server: one connection for each mail, with TLS from the first byte or by STARTTLS, and an end.

import MailComposer from 'nodemailer/lib/mail-composer';
import SMTPConnection from 'nodemailer/lib/smtp-connection';

/** The mail server, and in whose name mails are sent. */
export interface SmtpOptions {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte; otherwise by STARTTLS. */
  readonly isTls: boolean;
  readonly login: { readonly user: string; readonly pass: string } | null;
  readonly from: { readonly name: string; readonly address: string };
  /** The gateway's host name, for Message-IDs and the greeting. */
  readonly ownHost: string;
  /** Whether a server without TLS is refused. */
  readonly requireTls: boolean;
}

/** A mail to hand over. Its id makes the Message-ID, so that a repeat is recognised. */
export interface OutgoingMail {
  readonly id: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** Where answers go; null for the sender. */
  readonly replyTo: string | null;
  /** The URL that a POST ends such mails at (RFC 8058); null for none. */
  readonly unsubscribe: string | null;
}

/** Why a mail was not taken, as a code of SMTP (`550`) or of ours (`ETIMEDOUT`); `isFinal` if it never will be. */
export interface SendFailure {
  readonly code: string;
  readonly isFinal: boolean;
}

export interface Smtp {
  /** Hands a mail over; null once the server has taken it. Never throws. `signal` closes the connection. */
  send(mail: OutgoingMail, signal: AbortSignal): Promise<SendFailure | null>;
}

/** The longest silence of the server at any step. */
const SILENCE_MS = 20_000;

/** Line breaks would begin another header, or another command. */
const UNSAFE = /[\r\n\0]/;

export function createSmtp(options: SmtpOptions): Smtp {
  const { host, port, isTls, login, from, ownHost, requireTls } = options;
  const limits = { connectionTimeout: SILENCE_MS, greetingTimeout: SILENCE_MS, dnsTimeout: SILENCE_MS };
  return {
    async send(mail, signal) {
      if (
        [mail.id, mail.to, mail.subject, mail.replyTo ?? '', mail.unsubscribe ?? ''].some((part) => UNSAFE.test(part))
      )
        return { code: 'EUNSAFE', isFinal: true };
      const message = await compose(mail, options);
      const connection = new SMTPConnection({
        ...{ host, port, secure: isTls, requireTLS: requireTls && !isTls, name: ownHost },
        ...{ ...limits, socketTimeout: SILENCE_MS },
      });
      return converse(connection, { login, envelope: { from: from.address, to: [mail.to] }, message, signal });
    },
  };
}

function compose(mail: OutgoingMail, { from, ownHost }: SmtpOptions): Promise<Buffer> {
  const { id, to, subject, text, html, replyTo, unsubscribe } = mail;
  const composer = new MailComposer({
    ...{ from, to: { name: '', address: to }, subject, text, html, messageId: `<${id}@${ownHost}>` },
    // No answering machine answers, and nothing is read from files or URLs.
    headers: {
      'Auto-Submitted': 'auto-generated',
      ...(unsubscribe !== null && {
        'List-Unsubscribe': `<${unsubscribe}>`,
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      }),
    },
    ...(replyTo !== null && { replyTo: { name: '', address: replyTo } }),
    ...{ disableFileAccess: true, disableUrlAccess: true },
  });
  return composer.compile().build();
}

interface Conversation {
  readonly login: SmtpOptions['login'];
  readonly envelope: { readonly from: string; readonly to: string[] };
  readonly message: Buffer;
  readonly signal: AbortSignal;
}

async function converse(
  connection: SMTPConnection,
  { login, envelope, message, signal }: Conversation,
): Promise<SendFailure | null> {
  // Only what the server says of the mail itself ends it; refusing the login, or everybody, does not.
  let isAboutMail = false;
  const speak = async () => {
    await step((done) => void connection.connect(done));
    if (login !== null) await step((done) => void connection.login({ ...login, credentials: login }, done));
    isAboutMail = true;
    await step((done) => void connection.send(envelope, message, done));
  };
  let stop: () => void = () => undefined;
  const broken = new Promise<never>((_, reject) => {
    stop = () => reject(Object.assign(new Error('stopped'), { code: 'EABORTED' }));
    connection.on('error', reject);
    // A last answer, such as 421, is told of right after.
    connection.once('end', () => setImmediate(() => reject(Object.assign(new Error('closed'), { code: 'ECLOSED' }))));
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
  try {
    await Promise.race([broken, speak()]);
    connection.quit();
    return null;
  } catch (error) {
    connection.close();
    return failureOf(error, isAboutMail);
  } finally {
    signal.removeEventListener('abort', stop);
    broken.catch(() => undefined);
  }
}

/** One step of the conversation, as a promise. */
function step(run: (done: (error?: Error | null) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => run((error) => (error ? reject(error) : resolve())));
}

/** The texts of servers are not passed on: they may repeat the recipient. */
function failureOf(error: unknown, isAboutMail: boolean): SendFailure {
  const { responseCode = 0, code = 'EUNKNOWN' } = error as { responseCode?: number; code?: string };
  const isRefused = responseCode > 0 ? responseCode >= 500 : ['EENVELOPE', 'EMESSAGE'].includes(code);
  return { code: responseCode > 0 ? String(responseCode) : code, isFinal: isAboutMail && isRefused };
}
