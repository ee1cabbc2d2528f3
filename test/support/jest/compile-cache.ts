// Node's compile cache for the programs that tests start, because most of them load the same thousand modules.

import { fileURLToPath } from 'node:url';

/**
 * The environment variables for a program. The cache is keyed by path and text, so a new build replaces the old one.
 */
export const COMPILE_CACHE = {
  NODE_COMPILE_CACHE: fileURLToPath(new URL('../../../../node_modules/.cache/turnpike-test-programs', import.meta.url)),
} as const;
