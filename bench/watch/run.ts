// `npm run bench -- watch`: how quickly a watcher that was away reads the blocks it missed, compared with a bare loop
// that fetches the same blocks from the same node, and whether that depends on the number of watched addresses.

import { parseArgs } from 'node:util';
import { pino } from 'pino';
import { request } from 'undici';
import { createEvmAdapter } from '../../src/chain/evm/adapter.ts';
import type { ChainAdapter } from '../../src/chain/adapter.ts';
import { NETWORK_CODES, NETWORKS } from '../../src/values/assets.ts';
import { describe, openServer, type Server } from '../shared/environment.ts';
import { alignColumns, median } from '../shared/report.ts';
import { measureChain } from './chains.ts';
import { hashAt, OURS_EVERY, TRANSFERS } from './evm-node.ts';
import { openWatched, startNode, type Watched } from './environment.ts';

const USAGE = `npm run bench -- watch [options]
  --network CODE      SOL, TRON, LTC or BTC, with 10,000 payments; without it the EVM networks
  --addresses A,B,…   payments whose addresses are watched (10000,1000000)
  --rounds N          rounds, each candidate once in each (3)
  --blocks N          blocks read in a round (300)
  --smoke             one short round with few addresses, for CI: fails on errors and missing deposits
  --dir FOLDER        where the temporary database is kept (the system's folder for temporary files)
`;
const TOKEN = '0x00000000000000000000000000000000000c0ffe';
const log = pino({ level: 'silent' });

interface Run {
  readonly name: string;
  readonly blocksPerSecond: number;
  readonly ownMicros: number;
}

/** Runs the bench; returns the exit code. */
export async function benchWatch(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      network: { type: 'string', default: 'ETH' },
      addresses: { type: 'string', default: '10000,1000000' },
      rounds: { type: 'string', default: '3' },
      blocks: { type: 'string' },
      smoke: { type: 'boolean', default: false },
      dir: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  const { smoke, network } = values;
  const sizes = (smoke ? '10000,20000' : values.addresses).split(',').map(Number);
  const server = await openServer(values.dir, '2GB');
  try {
    const rounds = smoke ? 1 : Number(values.rounds);
    const blocks = values.blocks === undefined ? null : Number(values.blocks);
    if (network !== 'ETH') process.stdout.write(await measureChain(server, network, { rounds, blocks }));
    else process.stdout.write(await measure(server, sizes, { rounds, blocks: blocks ?? (smoke ? 100 : 300) }));
    return 0;
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    return 1;
  } finally {
    await server.close();
  }
}

async function measure(
  server: Server,
  sizes: readonly number[],
  { rounds, blocks }: { rounds: number; blocks: number },
): Promise<string> {
  // The last blocks are not measured: near the tip the watcher does not read ahead.
  const url = await startNode(server, './evm-node.js', { blocks: (rounds + 1) * blocks + 100, token: TOKEN });
  const tables: { readonly name: string; readonly setup: Watched }[] = [];
  for (const [index, payments] of sizes.entries()) {
    const adapter = openAdapter(url);
    const start = { hash: hashAt(0), height: 0 };
    const name = `watched_${String(index)}`;
    const setup = await openWatched(server, { name, payments, adapter, start, oursEvery: OURS_EVERY });
    tables.push({ name: payments.toLocaleString('en'), setup });
  }
  const runs: Run[] = [];
  // The first round warms up and is not counted.
  for (let round = 0; round <= rounds; round += 1) {
    const span = { from: round * blocks, to: (round + 1) * blocks };
    const of = [
      { name: 'bare', read: () => readBare(url, span) },
      ...tables.map(({ name, setup }) => ({ name, read: () => setup.readTo(span.to) })),
    ];
    for (const { name, read } of of) {
      const cpu = process.cpuUsage();
      const startedMs = performance.now();
      await read();
      const seconds = (performance.now() - startedMs) / 1_000;
      const { user, system } = process.cpuUsage(cpu);
      if (round > 0) runs.push({ name, blocksPerSecond: blocks / seconds, ownMicros: (user + system) / blocks });
      process.stderr.write(
        `${round === 0 ? 'warm-up' : `round ${String(round)}`}: ${name} ${(blocks / seconds).toFixed(0)} blocks/s\n`,
      );
    }
  }
  for (const { setup } of tables) await setup.check((rounds + 1) * blocks);
  const [first] = tables;
  return render(
    runs,
    tables.map(({ name }) => name),
    first ? await describe(first.setup.client) : {},
  );
}

/** Makes the two requests that a block takes, one block after another; parses the answers and discards them. */
async function readBare(url: string, { from, to }: { from: number; to: number }): Promise<void> {
  const ask = async (method: string, params: readonly unknown[]): Promise<unknown> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const answer = await request(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    return ((await answer.body.json()) as { result: unknown }).result;
  };
  for (let height = from + 1; height <= to; height += 1) {
    const block = (await ask('eth_getBlockByNumber', [`0x${height.toString(16)}`, true])) as { hash: string };
    const receipts = (await ask('eth_getBlockReceipts', [block.hash])) as unknown[];
    if (receipts.length !== TRANSFERS)
      throw new Error(`Block ${String(height)} has ${String(receipts.length)} receipts`);
  }
}

function openAdapter(rpcUrl: string): ChainAdapter {
  const contracts = new Map([['ETH', null] as const, ['USDT', TOKEN] as const]);
  return createEvmAdapter({
    network: 'ETH',
    rpcUrl,
    chainId: 31_337,
    contracts,
    minesOnDemand: false,
    timeoutMs: 15_000,
    log,
  });
}

function render(runs: readonly Run[], sizes: readonly string[], environment: object): string {
  const rateOf = (name: string) => median(runs.filter((run) => run.name === name).map((run) => run.blocksPerSecond));
  const cpuOf = (name: string) => median(runs.filter((run) => run.name === name).map((run) => run.ownMicros));
  const [smallest = ''] = sizes;
  const rows = ['bare', ...sizes].map((name) => [
    name === 'bare' ? 'bare loop' : `${name} addresses`,
    rateOf(name).toFixed(0),
    (cpuOf(name) / 1_000).toFixed(2),
    (rateOf(name) / rateOf('bare')).toFixed(2),
    name === 'bare' ? '' : (rateOf(smallest) / rateOf(name)).toFixed(2),
  ]);
  const slowest = Math.min(...sizes.map(rateOf));
  const made = NETWORK_CODES.filter((code) => NETWORKS[code].kind === 'evm').map(
    (code) => `${code} ${((slowest * NETWORKS[code].blockTimeMs) / 1_000).toFixed(0)}`,
  );
  return `
${alignColumns([['', 'blocks/s', 'own CPU ms', '/ bare', 'first /'], ...rows])}

Blocks of ${String(TRANSFERS)} transfers, one in ${String(OURS_EVERY)} with a deposit of ours; median of the rounds. Times as fast as
blocks are made: ${made.join(', ')}. Memory of the reading process: ${(process.memoryUsage().rss / 2 ** 20).toFixed(0)} MiB.
${Object.entries(environment)
  .map(([name, value]) => `${name} ${String(value)}`)
  .join(', ')}
`;
}
