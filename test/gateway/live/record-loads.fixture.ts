// Preloaded into a program (`node --import`): records every module that the program loads, in the file named by
// LOADS_FILE.

import { appendFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

const file = process.env['LOADS_FILE'] ?? '';

registerHooks({
  load(url, context, nextLoad) {
    appendFileSync(file, `${url}\n`);
    return nextLoad(url, context);
  },
});
