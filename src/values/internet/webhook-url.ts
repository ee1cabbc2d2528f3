// Which URLs a webhook may be sent to, judged from the URL alone (contract, section 7).
// The addresses that a host name resolves to are checked again when connecting.

import { isIP } from 'node:net';
import { isPublicAddress } from './ip-range.ts';
import { withoutTrailing } from '../formats/text.ts';

/** `url` is the text as the merchant wrote it; `href` is its canonical form, for comparing URLs. */
export type WebhookUrlVerdict = { readonly ok: true; readonly url: string; readonly href: string } | WebhookUrlRefusal;

/** VALIDATION (2001): not a valid webhook URL. WEBHOOK_URL_REFUSED (5001): a URL that we do not send to. */
export interface WebhookUrlRefusal {
  readonly ok: false;
  readonly error: 'VALIDATION' | 'WEBHOOK_URL_REFUSED';
  readonly message: string;
}

interface Rules {
  /** Whether loopback, private and other non-public addresses are allowed (`WEBHOOK_ALLOW_PRIVATE`). */
  readonly allowPrivate: boolean;
}

/** The most characters of a URL that a merchant gives us. */
export const MOST_URL_CHARACTERS = 2_048;

/** Control characters, for a class of a regular expression in whatever language. */
export const CONTROLS = '\\x00-\\x1f\\x7f-\\x9f';
/** What no text of a webhook URL has, for such a class. */
const BLANKS = `${CONTROLS}\\s\\\\`;
const HAS_BLANKS = new RegExp(`[${BLANKS}]`);
const BEFORE_PATH = /^https?:\/\/([^/?#]+)/i;

/** A pattern that the texts of webhook URLs have, whatever else they need. */
export const WEBHOOK_URL = `^[Hh][Tt][Tt][Pp][Ss]?://[^/?#@${BLANKS}]+([/?#][^${BLANKS}]*)?$`;

/** Names that hosts files commonly map to the loopback address, besides `*.localhost` (RFC 6761). */
const LOCAL_NAMES: ReadonlySet<string> = new Set([
  'localhost',
  'localhost.localdomain',
  'localhost4',
  'localhost4.localdomain4',
  'localhost6',
  'localhost6.localdomain6',
  'ip6-localhost',
  'ip6-loopback',
]);

/** Checks an endpoint's `url` or a payment's `callbackUrl`. A name that does not resolve is accepted. */
export function checkWebhookUrl(text: string, rules: Rules): WebhookUrlVerdict {
  const read = readWebhookUrl(text, rules);
  return read instanceof URL ? { ok: true, url: text, href: read.href } : read;
}

/** The same check, returning the parsed URL for callers that go on to send to it. */
export function readWebhookUrl(text: string, { allowPrivate }: Rules): URL | WebhookUrlRefusal {
  const url = parse(text);
  if (typeof url === 'string') return { ok: false, error: 'VALIDATION', message: url };
  const refusal = refusePort(url) ?? (allowPrivate ? null : refuseHost(url.hostname));
  return refusal === null ? url : { ok: false, error: 'WEBHOOK_URL_REFUSED', message: refusal };
}

/**
 * The WHATWG parser repairs what it can: it strips blanks and line breaks, and accepts `http:host` and backslashes.
 * Such texts are rejected here, because another parser may repair them differently.
 */
function parse(text: string): URL | string {
  if (text.length > MOST_URL_CHARACTERS) return `must be at most ${String(MOST_URL_CHARACTERS)} characters`;
  if (HAS_BLANKS.test(text) || !text.isWellFormed()) return 'must not contain blanks, control characters or \\';
  const authority = BEFORE_PATH.exec(text)?.[1];
  if (authority === undefined || !URL.canParse(text)) return 'must be an absolute http or https URL';
  if (authority.includes('@')) return 'must not carry a user name or password';
  return new URL(text);
}

function refusePort(url: URL): string | null {
  if (url.port === '') return null;
  const port = Number(url.port);
  return port === 80 || port === 443 || port >= 1024 ? null : 'the port must be 80, 443, or 1024 and above';
}

/** The host is in WHATWG form: `0x7f.1` and full-width digits are already dotted IPv4. */
function refuseHost(hostname: string): string | null {
  const host = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  if (isIP(host)) return isPublicAddress(host) ? null : 'the address is not a public one';
  const name = withoutTrailing(host, '.');
  const local = LOCAL_NAMES.has(name) || name.endsWith('.localhost');
  return local ? 'the name stands for the local machine' : null;
}
