// A merchant's own data as lines of a text field, one entry in each: `order = 17`.

const MOST_ENTRIES = 20;
const LONGEST_NAME = 40;
const LONGEST_VALUE = 500;

type Entries = readonly (readonly [name: string, value: string])[];

function read(text: string): Entries {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.map((line) => {
    const [name = '', ...rest] = line.split('=');
    return [name.trim(), rest.join('=').trim()];
  });
}

/** The data that the lines name; null for none. */
export function ownDataOf(text: string): Record<string, string> | null {
  const entries = read(text);
  return entries.length === 0 ? null : Object.fromEntries(entries);
}

/** What is wrong with the lines, for their author; null for nothing. */
export function ownDataFault(text: string): string | null {
  const entries = read(text);
  if (entries.length > MOST_ENTRIES) return `At most ${String(MOST_ENTRIES)} lines`;
  const bad = entries.findIndex(([name, value]) => name === '' || value === '');
  if (bad !== -1) return `Entry ${String(bad + 1)} needs a name, = and a value`;
  if (new Set(entries.map(([name]) => name)).size < entries.length) return 'A name is there twice';
  if (entries.some(([name]) => name.length > LONGEST_NAME))
    return `Names of at most ${String(LONGEST_NAME)} characters`;
  if (entries.some(([, value]) => value.length > LONGEST_VALUE))
    return `Values of at most ${String(LONGEST_VALUE)} characters`;
  return null;
}

/** The lines of data; null if lines cannot say it, as it was set by the API with line breaks or empty texts. */
export function linesOf(data: Readonly<Record<string, unknown>> | null): string | null {
  const own = Object.entries(data ?? {});
  const text = own.map(([name, value]) => `${name} = ${String(value)}`).join('\n');
  const isSame = JSON.stringify(read(text)) === JSON.stringify(own) && ownDataFault(text) === null;
  return isSame ? text : null;
}
