// The environment of programs that tests start. Most of them load the same two thousand modules, which takes longer
// than what they are started for.

import { fileURLToPath } from 'node:url';

const CACHE = fileURLToPath(new URL('../../../../node_modules/.cache/turnpike-test-programs', import.meta.url));
const PRELOAD = `--import=${new URL('./preload-packages.js', import.meta.url).href}`;
const inherited = process.env['NODE_OPTIONS'] ?? '';

/**
 * The environment variables for a program: Node's compile cache, keyed by path and text, so that a new build replaces
 * the old one, and the bundle of packages. Other options of Node's that the tests were started with stay.
 */
export const PROGRAM_ENVIRONMENT = {
  NODE_COMPILE_CACHE: CACHE,
  NODE_OPTIONS: inherited.includes(PRELOAD) ? inherited : `${inherited} ${PRELOAD}`.trim(),
} as const;
