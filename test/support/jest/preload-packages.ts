// Preloaded by programs that tests start: imports of packages lead to jest's bundle of them.

import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import { BUNDLED, findBundle } from './bundled-packages.ts';

const folder = pathToFileURL(`${findBundle()}/`);
const bundled: ReadonlySet<string> = new Set(BUNDLED);

registerHooks({
  // A package that is required, and not imported, is one that the bundle leaves out, or needs as it is.
  resolve: (specifier, context, next) =>
    bundled.has(specifier) && context.conditions.includes('import')
      ? { url: new URL(`${specifier}.mjs`, folder).href, format: 'module', shortCircuit: true }
      : next(specifier, context),
});
