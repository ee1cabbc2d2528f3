// The entry of the program: refuses a Node that its packages do not run on, before any of them is loaded.

import { faultOfNode } from './values/node-version.ts';

const fault = faultOfNode(process.version);
if (fault !== null) {
  process.stderr.write(`${fault}\n`);
  process.exit(1);
}
// The first process of a container ignores the signals that it has no handler for, so there is one from the beginning.
let handle: (signal: NodeJS.Signals) => void = () => process.exit(0);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => handle(signal));
const { runProgram } = await import('./gateway/program.ts');
await runProgram((handler) => (handle = handler));
