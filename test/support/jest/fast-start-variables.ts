// Environment variables that make programs started by tests load faster: Node's compile cache and bundled packages.
// Most programs load the same two thousand modules, which takes longer than the work itself.

import { fileURLToPath } from 'node:url';

const CACHE = fileURLToPath(new URL('../../../../node_modules/.cache/turnpike-test-programs', import.meta.url));
const PRELOAD = `--import=${new URL('./preload-packages.js', import.meta.url).href}`;
const inherited = process.env['NODE_OPTIONS'] ?? '';

/**
 * The variables for a program: Node's compile cache, keyed by path and content, so that a new build replaces the old
 * one's entries, and the bundle of packages. Other Node options that the tests were started with are kept.
 */
export const FAST_START_VARIABLES = {
  NODE_COMPILE_CACHE: CACHE,
  NODE_OPTIONS: inherited.includes(PRELOAD) ? inherited : `${inherited} ${PRELOAD}`.trim(),
} as const;
