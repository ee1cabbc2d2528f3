// Input checks, one for each kind of field: each returns what is wrong, in words for the caller, or null.

import { DECIMAL, isDecimal, isZero, ZERO } from './amount.ts';
import { isCommonPassword } from './secrets/common-passwords.ts';
import { IP_RANGE, parseIpRange } from './internet/ip-range.ts';
import { checkWebhookUrl, CONTROLS, MOST_URL_CHARACTERS, WEBHOOK_URL } from './internet/webhook-url.ts';

/** Keywords of JSON Schema. Patterns have no flags, and nothing that regular expressions of other languages lack. */
export type Bounds = Readonly<Record<string, unknown>>;

/**
 * Checks an input value that already has its schema type; null if it is valid. `bounds` is what the check says as JSON
 * Schema, for the documents: all that it accepts is within them, and where JSON Schema can say it, nothing else is.
 */
export interface Check {
  (value: unknown): string | null;
  readonly bounds?: Bounds;
}

/** A check with its bounds, which it should be made of. */
export const bounded = (bounds: Bounds, judge: (value: unknown) => string | null): Check =>
  Object.assign((value: unknown) => judge(value), { bounds });

const onText = (bounds: Bounds, judge: (text: string) => string | null): Check =>
  bounded(bounds, (value) => (typeof value === 'string' ? judge(value) : null));

/** A check of a text's form alone. */
const ofForm = (pattern: RegExp, message: string): Check =>
  onText({ pattern: pattern.source }, (value) => (pattern.test(value) ? null : message));

/** The message for a text that `isStorable` rejects. */
export const NOT_STORABLE = 'must not hold NUL characters or unpaired surrogates';

/** Whether PostgreSQL and JSON can carry the text: it has no NUL and no unpaired surrogates. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

/** A text of 1 to `most` characters that is not all white space. */
export const text = (most: number): Check =>
  onText({ minLength: 1, maxLength: most, pattern: '\\S' }, (value) => {
    if (value.trim() === '') return 'must not be empty';
    return value.length > most ? `must have at most ${most} characters` : null;
  });

/** What is above zero, of texts that are amounts. */
export const ABOVE_ZERO: Bounds = { not: { type: 'string', pattern: ZERO.source } };

/** A decimal amount greater than zero (contract, section 2). */
export const amount: Check = onText({ pattern: DECIMAL.source, ...ABOVE_ZERO }, (value) => {
  if (!isDecimal(value)) return 'must be a decimal number in a string, such as "25.00"';
  return isZero(value) ? 'must be greater than zero' : null;
});

/** An amount, or zero. */
export const amountOrZero: Check = ofForm(DECIMAL, 'must be a decimal number in a string, such as "25.00"');

/** An amount, or the word `max`. */
export const amountOrMax: Check = bounded({ pattern: `^max$|${DECIMAL.source}`, ...ABOVE_ZERO }, (value) =>
  value === 'max' ? null : amount(value),
);

/** Characters that are not printed; only JavaScript's and few others' expressions know the class. */
const UNPRINTABLE = /\p{C}/u;

const LABEL = '[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?';
const EMAIL = `^[^\\s"(),:;<>@\\[\\]\\\\${CONTROLS}]{1,64}@(${LABEL}\\.)+[A-Za-z][A-Za-z0-9-]{0,61}[A-Za-z0-9]$`;
const EMAIL_PATTERN = new RegExp(EMAIL, 'u');
const MOST_EMAIL_CHARACTERS = 254;

/** An e-mail address in its common form: one @, a dotted domain, at most 254 characters. */
export const email: Check = onText(
  { format: 'idn-email', maxLength: MOST_EMAIL_CHARACTERS, pattern: EMAIL },
  (value) =>
    value.length <= MOST_EMAIL_CHARACTERS && EMAIL_PATTERN.test(value) && !UNPRINTABLE.test(value)
      ? null
      : 'must be an e-mail address',
);

const BROWSER_URL = new RegExp(`^[Hh][Tt][Tt][Pp][Ss]?:[^\\s${CONTROLS}]+$`);

/** An absolute http or https URL without credentials, to which a customer's browser may be sent. */
export const browserUrl: Check = onText({ maxLength: MOST_URL_CHARACTERS, pattern: BROWSER_URL.source }, (value) => {
  const ok =
    value.length <= MOST_URL_CHARACTERS && BROWSER_URL.test(value) && !UNPRINTABLE.test(value) && URL.canParse(value);
  const url = ok ? new URL(value) : null;
  const isFine = url !== null && url.username === '' && url.password === '';
  return isFine ? null : 'must be an absolute http or https URL without credentials';
});

/** The form of a webhook URL (2001). Whether it may be posted to is checked later (5001). */
export const webhookUrl: Check = onText({ maxLength: MOST_URL_CHARACTERS, pattern: WEBHOOK_URL }, (value) => {
  const checked = checkWebhookUrl(value, { allowPrivate: true });
  return !checked.ok && checked.error === 'VALIDATION' ? checked.message : null;
});

/** A password of 8 to 128 characters (contract, section 4). */
export const password: Check = onText({ minLength: 8, maxLength: 128 }, (value) => {
  const length = [...value].length;
  return length < 8 || length > 128 ? 'must have 8 to 128 characters' : null;
});

/** A password for an account that holds money: not one of the most common. */
export const strongPassword: Check = onText(
  { minLength: 8, maxLength: 128 },
  (value) => password(value) ?? (isCommonPassword(value) ? 'is one of the most common passwords' : null),
);

/** The password check of an environment. The sandbox guards no money, so it accepts common passwords. */
export const passwordIn = (environment: 'sandbox' | 'live'): Check =>
  environment === 'live' ? strongPassword : password;

/** Metadata: an object of at most 20 texts, with names of up to 40 characters. `metadataEntry` checks its values. */
export const metadata: Check = bounded({ maxProperties: 20, propertyNames: { maxLength: 40 } }, (value) => {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return 'must be an object of texts';
  const names = Object.keys(value);
  if (names.length > 20) return 'must have at most 20 entries';
  const isBad = (name: string) => name.length > 40 || !isStorable(name);
  return names.some(isBad) ? 'must have names of at most 40 characters, without NUL or unpaired surrogates' : null;
});

/** A value of metadata: a text of at most 500 characters. */
export const metadataEntry: Check = bounded({ type: 'string', maxLength: 500 }, (value) => {
  if (typeof value !== 'string') return 'must be a string';
  if (value.length > 500) return 'must have at most 500 characters';
  return isStorable(value) ? null : NOT_STORABLE;
});

/** A whole number within bounds. */
export const whole = (least: number, most: number): Check =>
  bounded({ minimum: least, maximum: most }, (value) =>
    typeof value === 'number' && (value < least || value > most) ? `must be from ${least} to ${most}` : null,
  );

/** A percentage from 0 to `most`, with at most two decimals. */
export const percent = (most: number): Check =>
  bounded({ minimum: 0, maximum: most }, (value) => {
    if (typeof value !== 'number') return null;
    const ok = value >= 0 && value <= most && /^\d+(\.\d{1,2})?$/.test(String(value));
    return ok ? null : `must be a percentage from 0 to ${most} with at most two decimals`;
  });

/** A colour as `#rrggbb`. */
export const colour: Check = ofForm(/^#[0-9A-Fa-f]{6}$/, 'must be a colour, #rrggbb');

/** A language tag (BCP 47), such as `de` or `pt-BR`. */
export const locale: Check = ofForm(
  /^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}$/,
  'must be a language tag, such as de or pt-BR',
);

/** A list of `least` to `most` items. */
export const listOf = (least: number, most: number): Check =>
  bounded({ ...(least > 0 && { minItems: least }), maxItems: most }, (value) => {
    if (!Array.isArray(value)) return null;
    if (value.length < least) return least === 1 ? 'must not be empty' : `must have at least ${least} items`;
    return value.length > most ? `must have at most ${most} items` : null;
  });

/** An IPv4 address or CIDR range exactly as written (contract, section 3). */
export const ipRange: Check = onText({ pattern: IP_RANGE.source }, (value) =>
  parseIpRange(value) === null ? 'must be an IPv4 address or a CIDR range, such as 203.0.113.0/24' : null,
);

/** An `Idempotency-Key` (contract, section 2). */
export const idempotencyKey: Check = ofForm(/^[\x20-\x7e]{1,255}$/, 'must be 1 to 255 printable ASCII characters');

/** An HTTP method, or `WS` for what came over a web socket. */
export const method: Check = ofForm(/^[A-Z]{1,20}$/, 'must be a method in capitals, such as GET');

/** How the path of a call begins, as it is logged: parts that are not told are `…`. */
export const pathStart: Check = ofForm(/^\/[\x21-\x7e…]{0,999}$/, 'must begin with / and have no white space');

/** The form of a cursor. Its seal shows whether it was issued for this list. */
export const cursor: Check = ofForm(/^[A-Za-z0-9_-]{18,1024}$/, 'is not a cursor of this list');

const DATE = '[0-9]{4}-[0-9]{2}-[0-9]{2}';
const TIME = 'T[0-9]{2}:[0-9]{2}(:[0-9]{2}(\\.[0-9]{1,9})?)?(Z|[+-][0-9]{2}:[0-9]{2})';
const DAY = new RegExp(`^${DATE}$`);
const INSTANT = new RegExp(`^${DATE}${TIME}$`);

/** A date bound of a list: `YYYY-MM-DD` or ISO 8601. */
export const date: Check = onText({ pattern: `^${DATE}(${TIME})?$` }, (value) =>
  parseDate(value, 'start') === null ? 'must be a date, YYYY-MM-DD or ISO 8601' : null,
);

/**
 * Reads a date bound as an instant; null if it is not a date. As a `start`, a bare date is its first instant in UTC. As
 * an exclusive `end`, it is the first instant of the next day, so that the day is included.
 */
export function parseDate(value: string, bound: 'start' | 'end'): Date | null {
  const day = DAY.test(value);
  if (!day && !INSTANT.test(value)) return null;
  const start = new Date(`${value.slice(0, 10)}T00:00:00Z`);
  // A day that does not exist rolls over to the next month and is rejected.
  if (start.getUTCDate() !== Number(value.slice(8, 10))) return null;
  const instant = day ? start : new Date(value);
  if (Number.isNaN(instant.getTime()) || instant.getUTCFullYear() < 1970) return null;
  if (day && bound === 'end') instant.setUTCDate(instant.getUTCDate() + 1);
  return instant;
}
