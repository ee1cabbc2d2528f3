// Input checks, one for each kind of field: each returns what is wrong, in words for the caller, or null.

import { isDecimal } from './amount.ts';
import { isCommonPassword } from './secrets/common-passwords.ts';
import { parseIpRange } from './internet/ip-range.ts';
import { checkWebhookUrl } from './internet/webhook-url.ts';

/** Checks an input value that already has its schema type; null if it is valid. */
export type Check = (value: unknown) => string | null;

const onText =
  (judge: (text: string) => string | null): Check =>
  (value) =>
    typeof value === 'string' ? judge(value) : null;

/** The message for a text that `isStorable` rejects. */
export const NOT_STORABLE = 'must not hold NUL characters or unpaired surrogates';

/** Whether PostgreSQL and JSON can carry the text: it has no NUL and no unpaired surrogates. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

/** A text of 1 to `most` characters that is not all white space. */
export const text = (most: number): Check =>
  onText((value) => {
    if (value.trim() === '') return 'must not be empty';
    return value.length > most ? `must have at most ${most} characters` : null;
  });

/** A decimal amount greater than zero (contract, section 2). */
export const amount: Check = onText((value) => {
  if (!isDecimal(value)) return 'must be a decimal number in a string, such as "25.00"';
  return /[1-9]/.test(value) ? null : 'must be greater than zero';
});

/** An amount, or zero. */
export const amountOrZero: Check = onText((value) =>
  isDecimal(value) ? null : 'must be a decimal number in a string, such as "25.00"',
);

/** An amount, or the word `max`. */
export const amountOrMax: Check = (value) => (value === 'max' ? null : amount(value));

/** An e-mail address in its common form: one @, a dotted domain, at most 254 characters. */
export const email: Check = onText((value) => {
  const [local, domain, ...rest] = value.split('@');
  const ok =
    rest.length === 0 &&
    local !== undefined &&
    domain !== undefined &&
    value.length <= 254 &&
    /^[^\s"(),:;<>[\]\\\p{C}]{1,64}$/u.test(local) &&
    /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/i.test(domain);
  return ok ? null : 'must be an e-mail address';
});

/** An absolute http or https URL without credentials, to which a customer's browser may be sent. */
export const browserUrl: Check = onText((value) => {
  const message = 'must be an absolute http or https URL without credentials';
  if (!URL.canParse(value) || value.length > 2_048 || /[\s\p{C}]/u.test(value)) return message;
  const url = new URL(value);
  const ok = (url.protocol === 'http:' || url.protocol === 'https:') && url.username === '' && url.password === '';
  return ok ? null : message;
});

/** The form of a webhook URL (2001). Whether it may be posted to is checked later (5001). */
export const webhookUrl: Check = onText((value) => {
  const checked = checkWebhookUrl(value, { allowPrivate: true });
  return !checked.ok && checked.error === 'VALIDATION' ? checked.message : null;
});

/** A password of 8 to 128 characters (contract, section 4). */
export const password: Check = onText((value) => {
  const length = [...value].length;
  return length < 8 || length > 128 ? 'must have 8 to 128 characters' : null;
});

/** A password for an account that holds money: not one of the most common. */
export const strongPassword: Check = onText(
  (value) => password(value) ?? (isCommonPassword(value) ? 'is one of the most common passwords' : null),
);

/** The password check of an environment. The sandbox guards no money, so it accepts common passwords. */
export const passwordIn = (environment: 'sandbox' | 'live'): Check =>
  environment === 'live' ? strongPassword : password;

/** Metadata: an object of at most 20 texts, with names of up to 40 characters. `metadataEntry` checks its values. */
export const metadata: Check = (value) => {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return 'must be an object of texts';
  const names = Object.keys(value);
  if (names.length > 20) return 'must have at most 20 entries';
  const isBad = (name: string) => name.length > 40 || !isStorable(name);
  return names.some(isBad) ? 'must have names of at most 40 characters, without NUL or unpaired surrogates' : null;
};

/** A value of metadata: a text of at most 500 characters. */
export const metadataEntry: Check = (value) => {
  if (typeof value !== 'string') return 'must be a string';
  if (value.length > 500) return 'must have at most 500 characters';
  return isStorable(value) ? null : NOT_STORABLE;
};

/** A whole number within bounds. */
export const whole =
  (least: number, most: number): Check =>
  (value) =>
    typeof value === 'number' && (value < least || value > most) ? `must be from ${least} to ${most}` : null;

/** A percentage from 0 to `most`, with at most two decimals. */
export const percent =
  (most: number): Check =>
  (value) => {
    if (typeof value !== 'number') return null;
    const ok = value >= 0 && value <= most && /^\d+(\.\d{1,2})?$/.test(String(value));
    return ok ? null : `must be a percentage from 0 to ${most} with at most two decimals`;
  };

/** A colour as `#rrggbb`. */
export const colour: Check = onText((value) => (/^#[0-9a-f]{6}$/i.test(value) ? null : 'must be a colour, #rrggbb'));

/** A language tag (BCP 47), such as `de` or `pt-BR`. */
export const locale: Check = onText((value) => {
  const ok = /^[a-z]{2,3}(-[a-z0-9]{2,8}){0,3}$/i.test(value);
  return ok ? null : 'must be a language tag, such as de or pt-BR';
});

/** A list of `least` to `most` items. */
export const listOf =
  (least: number, most: number): Check =>
  (value) => {
    if (!Array.isArray(value)) return null;
    if (value.length < least) return least === 1 ? 'must not be empty' : `must have at least ${least} items`;
    return value.length > most ? `must have at most ${most} items` : null;
  };

/** An IPv4 address or CIDR range exactly as written (contract, section 3). */
export const ipRange: Check = onText((value) =>
  parseIpRange(value) === null ? 'must be an IPv4 address or a CIDR range, such as 203.0.113.0/24' : null,
);

/** An `Idempotency-Key` (contract, section 2). */
export const idempotencyKey: Check = onText((value) =>
  /^[\x20-\x7e]{1,255}$/.test(value) ? null : 'must be 1 to 255 printable ASCII characters',
);

/** The form of a cursor. Its seal shows whether it was issued for this list. */
export const cursor: Check = onText((value) =>
  /^[A-Za-z0-9_-]{18,1024}$/.test(value) ? null : 'is not a cursor of this list',
);

/** A date bound of a list: `YYYY-MM-DD` or ISO 8601. */
export const date: Check = onText((value) =>
  parseDate(value, 'start') === null ? 'must be a date, YYYY-MM-DD or ISO 8601' : null,
);

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/;

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
