// Where Node keeps what it compiled, for the programs that tests start: most of them load the same thousand modules.

import { fileURLToPath } from 'node:url';

/**
 * For the environment of a program. What was compiled is known by its path and its text: a new build takes its place.
 */
export const COMPILE_CACHE = {
  NODE_COMPILE_CACHE: fileURLToPath(new URL('../../../../node_modules/.cache/turnpike-test-programs', import.meta.url)),
} as const;
