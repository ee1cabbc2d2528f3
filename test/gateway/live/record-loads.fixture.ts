// Preloaded into a program (`node --import`): writes down every module that it loads, in the file that LOADS_FILE
// names.

import { appendFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

const file = process.env['LOADS_FILE'] ?? '';

registerHooks({
  load(url, context, nextLoad) {
    appendFileSync(file, `${url}\n`);
    return nextLoad(url, context);
  },
});
