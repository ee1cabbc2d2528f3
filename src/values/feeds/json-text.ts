// Reads JSON with every number as its source text, so that no price goes through a float. Node 20 cannot do so itself.

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const [QUOTE, BACKSLASH, MINUS, ZERO, NINE] = [0x22, 0x5c, 0x2d, 0x30, 0x39];

/** Parses JSON; numbers become strings. Throws `SyntaxError` if it is not well-formed. */
export const parseWithNumbersAsText = (body: string): unknown => JSON.parse(quoteNumbers(body));

/** One pass, from string to string: a body of 2 MiB is read between two calls, and nothing in it makes that longer. */
function quoteNumbers(body: string): string {
  const parts: string[] = [];
  let copied = 0;
  for (let at = 0; at < body.length; at += 1) {
    const code = body.charCodeAt(at);
    if (code === QUOTE) at = endOfString(body, at);
    else if (code === MINUS || (code >= ZERO && code <= NINE)) {
      NUMBER.lastIndex = at;
      const [number] = NUMBER.exec(body) ?? [];
      if (number === undefined) continue;
      parts.push(body.slice(copied, at), '"', number, '"');
      copied = at + number.length;
      at = copied - 1;
    }
  }
  return parts.join('') + body.slice(copied);
}

/** Where the string that begins here ends: at its quotation mark, or with the body. */
function endOfString(body: string, from: number): number {
  let at = from + 1;
  for (; at < body.length; at += 1) {
    const code = body.charCodeAt(at);
    if (code === QUOTE) break;
    if (code === BACKSLASH) at += 1;
  }
  return at;
}

/** The value's field of that name; undefined if it is no object, or has none. */
export function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;
}

/** The fields of an object; throws for anything else, naming what was looked for. */
export function fieldsOf(value: unknown, name: string): [string, unknown][] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error(`${name} is not an object`);
  return Object.entries(value);
}

/** The items of a list; throws for anything else. */
export function itemsOf(value: unknown, name: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new Error(`${name} is not a list`);
  return value;
}

/** Reads a source's own time, in seconds since 1970: its arrival if it says none, null for what is no such number. */
export function readSeconds(text: unknown, arrivedAt: Date): Date | null {
  if (text === undefined || text === null) return arrivedAt;
  const isTime = typeof text === 'string' && /^\d{9,11}(\.\d+)?$/.test(text);
  return isTime ? new Date(Math.floor(Number(text) * 1_000)) : null;
}
