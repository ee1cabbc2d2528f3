// `npm run bench -- NAME …`: runs one of the benches.

import { benchCreate } from './create/run.ts';
import { benchDispatch } from './dispatch/run.ts';
import { benchHistory } from './history/run.ts';
import { benchList } from './list/run.ts';
import { benchLive } from './live/run.ts';
import { benchRates } from './rates/run.ts';
import { benchSettle } from './settle/run.ts';
import { benchWatch } from './watch/run.ts';

/** Each bench parses its own arguments and returns the exit code. */
const BENCHES: Readonly<Record<string, (args: readonly string[]) => Promise<number>>> = {
  create: benchCreate,
  dispatch: benchDispatch,
  history: benchHistory,
  list: benchList,
  live: benchLive,
  rates: benchRates,
  settle: benchSettle,
  watch: benchWatch,
};

const [name = '', ...args] = process.argv.slice(2);
const bench = BENCHES[name];
if (!bench) process.stderr.write(`Usage: npm run bench -- ${Object.keys(BENCHES).join(' | ')} [--help]\n`);
process.exitCode = bench ? await bench(args) : 2;
