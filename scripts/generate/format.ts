// Lays a text out as `npm run format` does, with the formatter of tools/, which is there after `npm ci --prefix tools`.

import { createRequire } from 'node:module';
import { resolve } from 'node:path';

/** What is used of prettier. */
interface Formatter {
  format(text: string, options: object): Promise<string>;
  resolveConfig(path: string): Promise<object | null>;
}

/** The text as the file at `path` has it, in the checkout that the program runs in. Rejects if it cannot be parsed. */
export async function formatted(path: string, text: string): Promise<string> {
  const { format, resolveConfig } = createRequire(resolve('tools/package.json'))('prettier') as Formatter;
  return format(text, { ...(await resolveConfig(path)), filepath: path });
}
