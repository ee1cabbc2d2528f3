// Reads JSON with every number as its source text, so that no price goes through a float. Node 20 cannot do so itself.

/**
 * A string, which is skipped whole, or a number outside of strings. A string that does not end is a token, too: to look
 * for its end again from each quotation mark within it would take minutes.
 */
const TOKEN = /"[^"\\]*(?:\\[^][^"\\]*)*"?|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** Parses JSON; numbers become strings. Throws `SyntaxError` if it is not well-formed. */
export function parseWithNumbersAsText(body: string): unknown {
  return JSON.parse(body.replace(TOKEN, (token) => (token.startsWith('"') ? token : `"${token}"`)));
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
