// Prints values as TypeScript source in the formatter's layout, so that a failed property can be pasted as a test.

const WIDTH = 120;
const INDENT = '  ';

/** A complete jest test that calls `story` with these values, ready to be pasted into the property's test file. */
export function asTest(title: string, values: readonly unknown[]): string {
  return `it(${quote(title)}, () =>\n${INDENT}${laidOut(listed(values), ['story(', '', ')'], INDENT)});`;
}

/**
 * A value as a TypeScript expression that makes an equal one: numbers (NaN, infinities and negative zero included),
 * bigints, texts, booleans, null, undefined, dates, byte arrays, maps, sets, lists and plain objects. Throws on others.
 * `indent` is the indentation of the line on which it begins.
 */
export function asLiteral(value: unknown, indent = ''): string {
  switch (typeof value) {
    case 'bigint':
      return `${grouped(value.toString())}n`;
    case 'number':
      return numberLiteral(value);
    case 'string':
      return quote(value);
    case 'boolean':
    case 'undefined':
      return String(value);
    case 'object':
      return value === null ? 'null' : objectLiteral(value, indent);
    default:
      throw new TypeError(`a ${typeof value} cannot be written down`);
  }
}

function objectLiteral(value: object, indent: string): string {
  if (Array.isArray(value)) return laidOut(listed(value), ['[', '', ']'], indent);
  if (value instanceof Date) return `new Date(${quote(value.toISOString())})`;
  if (value instanceof Uint8Array) return laidOut(listed([...value]), ['Uint8Array.of(', '', ')'], indent);
  if (value instanceof Map) return `new Map(${asLiteral([...value], indent)})`;
  if (value instanceof Set) return `new Set(${asLiteral([...value], indent)})`;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && prototype !== Object.prototype) throw new TypeError('only plain objects can be written');
  const write: Write = (within) =>
    Object.entries(value).map(([key, held]) => `${keyLiteral(key)}: ${asLiteral(held, within)}`);
  return laidOut(write, ['{', ' ', '}'], indent);
}

/** Prints the parts of a value, each beginning on a line with this indentation. */
type Write = (indent: string) => string[];

const listed =
  (values: readonly unknown[]): Write =>
  (indent) =>
    values.map((value) => asLiteral(value, indent));

/**
 * On one line if that is short enough, else one part a line, indented. `pad` goes inside the brackets of one line.
 */
function laidOut(write: Write, [open, pad, close]: readonly [string, string, string], indent: string): string {
  const parts = write(indent);
  if (parts.length === 0) return open + close;
  const line = `${open}${pad}${parts.join(', ')}${pad}${close}`;
  if (!line.includes('\n') && indent.length + line.length < WIDTH) return line;
  const within = indent + INDENT;
  const lines = write(within).map((part) => `${within}${part},\n`);
  return `${open}\n${lines.join('')}${indent}${close}`;
}

function numberLiteral(value: number): string {
  if (Object.is(value, -0)) return '-0';
  return Number.isSafeInteger(value) ? grouped(String(value)) : String(value);
}

/** 1000000 → 1_000_000 */
const grouped = (digits: string): string => digits.replace(/\B(?=(\d{3})+$)/g, '_');

/** A key of `__proto__` would set the prototype unless it is computed. */
function keyLiteral(key: string): string {
  if (key === '__proto__') return `['__proto__']`;
  return /^[A-Za-z_$][\w$]*$/.test(key) ? key : quote(key);
}

/** In single quotes, with everything escaped that a line of code cannot contain. */
function quote(text: string): string {
  const escaped = JSON.stringify(text)
    .slice(1, -1)
    .replaceAll('\\"', '"')
    .replaceAll("'", "\\'")
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029');
  return `'${escaped}'`;
}
