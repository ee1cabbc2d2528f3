// `npm run bench -- history`: how the cost of three jobs grows with the number of payments: checking the ledger,
// numbering a backlog of events, and comparing custody. Each is measured beside a reference.

import { mkdir, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { describe, openServer, type Server } from '../shared/environment.ts';
import { openDatabase } from '../settle/environment.ts';
import { startNode } from '../watch/environment.ts';
import { HISTORY_HEIGHT } from './chain.ts';
import type { NodeTask } from './node.ts';
import { renderHistory, summarizeHistory, type HistoryReport, type Measured } from './report.ts';
import { writeHistory } from './rows.ts';
import { BACKLOG, TASKS, type Rung } from './tasks.ts';

const RESULTS = 'bench/results';
const USAGE = `npm run bench -- history [options]
  --payments A,B,…    the rungs, in payments (10000,1000000)
  --ten-million       adds a rung of 10,000,000: about an hour, and 40 GB
  --rounds N          rounds, each task and its reference once in each (3)
  --only TEXT         tasks whose name contains it; may be repeated
  --smoke             one round at 1,000 and 10,000 payments, for CI: fails on errors, never on a figure
  --json              the report as JSON on the standard output; without it a table, and JSON in ${RESULTS}/history.json
  --dir FOLDER        where the temporary database is kept (the system's folder for temporary files)
`;
/** How far the node is ahead of the history: the blocks that the bench adds. */
const BLOCKS_AHEAD = 60;

/** Runs the bench; returns the exit code. */
export async function benchHistory(args: readonly string[]): Promise<number> {
  const options = readOptions(args);
  if (options.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  const server = await openServer(options.dir, '2GB');
  try {
    const report = await measure(server, options);
    const json = `${JSON.stringify(report, null, 2)}\n`;
    if (!options.smoke && !options.json) {
      await mkdir(RESULTS, { recursive: true });
      await writeFile(`${RESULTS}/history.json`, json);
    }
    process.stdout.write(options.json ? json : renderHistory(report));
    return 0;
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    return 1;
  } finally {
    await server.close();
  }
}

function readOptions(args: readonly string[]) {
  const { values } = parseArgs({
    args: [...args],
    options: {
      payments: { type: 'string' },
      'ten-million': { type: 'boolean', default: false },
      rounds: { type: 'string' },
      only: { type: 'string', multiple: true, default: [''] },
      smoke: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      dir: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  const { smoke } = values;
  const rounds = Number(values.rounds ?? (smoke ? 1 : 3));
  const rungs = (values.payments ?? (smoke ? '1000,10000' : '10000,1000000')).split(',').map(Number);
  if (values['ten-million']) rungs.push(10_000_000);
  if (!Number.isInteger(rounds) || rounds < 1) throw new Error('--rounds must be a whole number from 1');
  if (rungs.some((payments) => !Number.isInteger(payments) || payments < 1_000))
    throw new Error('--payments must be whole numbers from 1000');
  return { ...values, rounds, rungs: rungs.toSorted((one, other) => one - other) };
}

async function measure(
  server: Server,
  { rungs, rounds, only, smoke }: ReturnType<typeof readOptions>,
): Promise<HistoryReport> {
  const tasks = TASKS.filter(({ name }) => only.some((text) => name.includes(text)));
  const backlog = smoke ? BACKLOG.smoke : BACKLOG.whole;
  const measured: Measured[] = [];
  let environment: Readonly<Record<string, string | number>> = {};
  for (const payments of rungs) {
    process.stderr.write(`writing a history of ${payments.toLocaleString('en')} payments\n`);
    const rung = await openRung(server, payments, backlog);
    environment = await describe(rung.client);
    for (const task of tasks)
      for (let round = 1; round <= (task.once ? 1 : rounds); round += 1) {
        const [ours, reference] = [await task.run(rung), await task.runReference(rung)];
        measured.push({ task: task.name, payments, ours, reference });
        process.stderr.write(`${task.name}: ${ours.ms.toFixed(0)} ms, reference ${reference.ms.toFixed(0)} ms\n`);
      }
  }
  return summarizeHistory({ rungs, rounds, backlog, environment }, tasks, measured);
}

async function openRung(server: Server, payments: number, backlog: number): Promise<Rung> {
  const { db, client, url } = await openDatabase(server, `history_${payments}`);
  await writeHistory(client, payments);
  const { rows } = await client.query<{ hot: string }>(
    `select (-balance - (select sum(units) from holding))::text as hot from ledger_account where purpose = 'custody'`,
  );
  const node: NodeTask = { payments, tip: HISTORY_HEIGHT + BLOCKS_AHEAD, hot: rows[0]?.hot ?? '0' };
  const rpcUrl = await startNode(server, '../history/node.js', node);
  return { payments, backlog, client, db, databaseUrl: url, rpcUrl, height: HISTORY_HEIGHT };
}
