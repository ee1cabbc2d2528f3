// Reads how mails leave: the mail server that takes them, and in whose name they are sent.

import { email } from '../values/checks.ts';
import type { Reader } from './reader.ts';

/** The mail server. */
export interface SmtpConfig {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte (`smtps:`); otherwise by STARTTLS, which live requires. */
  readonly isTls: boolean;
  readonly login: { readonly user: string; readonly pass: string } | null;
  readonly from: Sender;
}

/** In whose name mails are sent. */
export interface Sender {
  readonly name: string;
  readonly address: string;
}

export interface MailConfig {
  /** Null: no mail leaves. In the sandbox its page shows them instead; in live calls that need one are 2012. */
  readonly smtp: SmtpConfig | null;
  /** How many mails a merchant's customers get in a day. */
  readonly mailCustomerPerDay: number;
}

/** `SMTP_URL` and `MAIL_FROM`, which it requires, and `MAIL_CUSTOMER_PER_DAY`. */
export function readMail(read: Reader): MailConfig {
  const [url, from] = [readUrl(read), readFrom(read)];
  if (url !== null && read.optional('MAIL_FROM') === null)
    read.fault('MAIL_FROM', 'is required with SMTP_URL: an address, such as Kettle Pay <no-reply@pay.kettle.example>');
  const mailCustomerPerDay = read.integer('MAIL_CUSTOMER_PER_DAY', 1_000, 0, 1_000_000);
  return { smtp: url !== null && from !== null ? { ...url, from } : null, mailCustomerPerDay };
}

/** The value may contain a password, so no fault repeats it. */
function readUrl(read: Reader): Omit<SmtpConfig, 'from'> | null {
  const text = read.optional('SMTP_URL');
  if (text === null) return null;
  const found = URL.canParse(text) ? parseUrl(new URL(text)) : null;
  if (found === null)
    read.fault('SMTP_URL', 'must be smtps://user:password@host or smtp://host:port, with nothing after the port');
  return found;
}

function parseUrl(url: URL): Omit<SmtpConfig, 'from'> | null {
  const isTls = url.protocol === 'smtps:';
  if (!isTls && url.protocol !== 'smtp:') return null;
  if (url.hostname === '' || !['', '/'].includes(url.pathname) || url.search !== '' || url.hash !== '') return null;
  const [user, pass] = [decoded(url.username), decoded(url.password)];
  if (user === null || pass === null || (user === '') !== (pass === '')) return null;
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? (isTls ? 465 : 587) : Number(url.port),
    isTls,
    login: user === '' ? null : { user, pass },
  };
}

/** Null for text with a bad escape, or with control characters. */
function decoded(text: string): string | null {
  try {
    const plain = decodeURIComponent(text);
    return /\p{Cc}/u.test(plain) ? null : plain;
  } catch {
    return null;
  }
}

function readFrom(read: Reader): Sender | null {
  const text = read.optional('MAIL_FROM');
  if (text === null) return null;
  const [, name = '', named] = /^([^<>"]*)<([^<>]*)>$/.exec(text) ?? [];
  const address = (named ?? text).trim();
  if (email(address) === null && !/\p{Cc}/u.test(text)) return { name: name.trim(), address };
  read.fault('MAIL_FROM', `must be an address, such as no-reply@pay.kettle.example or Kettle Pay <…>, not "${text}"`);
  return null;
}
