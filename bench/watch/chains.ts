// Measures catching up on networks that are not EVM: the watcher against a bare loop that fetches the same blocks, and
// how much faster it is than the network's own pace.

import type pg from 'pg';
import { request } from 'undici';
import type { ChainAdapter } from '../../src/chain/adapter.ts';
import { createSolanaAdapter } from '../../src/chain/solana/adapter.ts';
import { encodeBase58 } from '../../src/chain/base58.ts';
import { createTronAdapter } from '../../src/chain/tron/adapter.ts';
import { createUtxoAdapter } from '../../src/chain/utxo/adapter.ts';
import { NETWORKS } from '../../src/values/assets.ts';
import { createHash } from 'node:crypto';
import { describe, type Server } from '../shared/environment.ts';
import { alignColumns, median } from '../shared/report.ts';
import { isSkipped } from './blocks/solana.ts';
import { firstHash } from './blocks/utxo.ts';
import type { BenchNetwork, ChainTask } from './task.ts';
import { digest, OURS_EVERY, ourKey, SOLANA_USDT, TRON_USDT } from './deposits.ts';
import { openWatched, startNode } from './environment.ts';

const PAYMENTS = 10_000;
const TIMEOUT_MS = 30_000;
/** The last blocks are not measured: near the tip the watcher does not read ahead. */
const TAIL = 120;

interface ChainBench {
  /** Heights read in a round. */
  readonly heights: number;
  /** A description of a block's contents. */
  readonly blocks: string;
  readonly currency: string;
  readonly firstHash: () => string;
  open(url: string): ChainAdapter;
  /** Makes the requests that a block takes, parses the answers and discards them. */
  fetchBlock(url: string, height: number): Promise<void>;
}

async function post(url: string, body: object): Promise<unknown> {
  const headers = { 'content-type': 'application/json' };
  const answer = await request(url, { method: 'POST', headers, body: JSON.stringify(body) });
  return answer.body.json();
}

const rpc = async (url: string, method: string, ...params: unknown[]): Promise<unknown> =>
  ((await post(url, { jsonrpc: '2.0', id: 1, method, params })) as { result: unknown }).result;

const utxo = (network: 'BTC' | 'LTC', heights: number, blocks: string): ChainBench => ({
  ...{ heights, blocks, currency: network, firstHash: () => firstHash(network) },
  open: (url) =>
    createUtxoAdapter({ network, chain: 'main', kind: 'CORE', url, minesOnDemand: false, timeoutMs: TIMEOUT_MS }),
  fetchBlock: async (url, height) => {
    const hash = await rpc(url, 'getblockhash', height);
    Buffer.from(String(await rpc(url, 'getblock', hash, 0)), 'hex');
  },
});

const BENCHES: Readonly<Record<BenchNetwork, ChainBench>> = {
  SOL: {
    ...{ heights: 80, blocks: '1,500 transactions and 900 votes, one slot in 20 without a block', currency: 'USDT' },
    firstHash: () => encodeBase58(digest('slot 0')),
    open: (url) =>
      createSolanaAdapter({
        ...{ network: 'SOL', url, timeoutMs: TIMEOUT_MS },
        contracts: new Map<string, string | null>([
          ['SOL', null],
          ['USDT', SOLANA_USDT],
        ]),
      }),
    fetchBlock: async (url, slot) => {
      const options = { commitment: 'confirmed', transactionDetails: 'accounts', maxSupportedTransactionVersion: 0 };
      if (!isSkipped(slot)) await rpc(url, 'getBlock', slot, { ...options, rewards: false, encoding: 'json' });
    },
  },
  TRON: {
    ...{ heights: 300, blocks: '300 transactions, three in four of them transfers of USDT', currency: 'USDT' },
    firstHash: () => `${'0'.repeat(16)}${digest('block 0').toString('hex').slice(16)}`,
    open: (url) =>
      createTronAdapter({
        ...{ network: 'TRON', url, timeoutMs: TIMEOUT_MS },
        contracts: new Map<string, string | null>([
          ['TRX', null],
          ['USDT', TRON_USDT],
        ]),
      }),
    fetchBlock: async (url, num) => {
      await post(`${url}/wallet/getblockbynum`, { num });
      await post(`${url}/wallet/gettransactioninfobyblocknum`, { num });
    },
  },
  LTC: utxo('LTC', 200, '400 transactions as bytes'),
  BTC: utxo('BTC', 40, '3,000 transactions as bytes'),
};

/** Measures one network; returns the table. */
export async function measureChain(
  server: Server,
  name: string,
  { rounds, blocks }: { rounds: number; blocks: number | null },
): Promise<string> {
  const network = Object.keys(BENCHES).find((code): code is BenchNetwork => code === name);
  if (!network) throw new Error(`--network: ${Object.keys(BENCHES).join(', ')}`);
  const bench = BENCHES[network];
  const heights = blocks ?? bench.heights;
  const task: ChainTask = { network, blocks: (rounds + 1) * heights + TAIL };
  const url = await startNode(server, './chain-node.js', task);
  const setup = await openWatched(server, {
    ...{ name: 'watched', payments: PAYMENTS, adapter: bench.open(url), oursEvery: OURS_EVERY },
    start: { hash: bench.firstHash(), height: 0 },
    convert: (client) => convert(client, network, bench.currency),
  });
  const rates = { bare: [] as number[], ours: [] as number[] };
  const micros = { bare: [] as number[], ours: [] as number[] };
  // The first round warms up and is not counted.
  for (let round = 0; round <= rounds; round += 1) {
    const [from, to] = [round * heights, (round + 1) * heights];
    const bare = await timed(async () => {
      for (let height = from + 1; height <= to; height += 1) await bench.fetchBlock(url, height);
    });
    const ours = await timed(() => setup.readTo(to));
    process.stderr.write(
      `${round === 0 ? 'warm-up' : `round ${String(round)}`}: bare ${(heights / bare.seconds).toFixed(1)}, ours ${(heights / ours.seconds).toFixed(1)} a second\n`,
    );
    if (round === 0) continue;
    rates.bare.push(heights / bare.seconds);
    rates.ours.push(heights / ours.seconds);
    micros.bare.push(bare.micros / heights);
    micros.ours.push(ours.micros / heights);
  }
  await setup.check((rounds + 1) * heights);
  return render(network, { rates, micros }, await describe(setup.client));
}

async function timed(work: () => Promise<void>): Promise<{ seconds: number; micros: number }> {
  const cpu = process.cpuUsage();
  const startedMs = performance.now();
  await work();
  const { user, system } = process.cpuUsage(cpu);
  return { seconds: (performance.now() - startedMs) / 1_000, micros: user + system };
}

/** Converts the payments, which were created for an EVM network: their addresses become those that the blocks pay. */
async function convert(client: pg.Client, network: BenchNetwork, currency: string): Promise<void> {
  const rows = Array.from({ length: PAYMENTS }, (_, index) => index + 1);
  const md5 = (row: number) => createHash('md5').update(String(row)).digest('hex');
  await client.query(
    `update payment set network = $1, derivation_account = $5, currency = $2, address = made.key, address_key = made.key
     from unnest($3::text[], $4::text[]) as made (known, key) where address_key = made.known`,
    [
      network,
      currency,
      rows.map((row) => `0x${md5(row)}01234567`),
      rows.map((row) => ourKey(network, row)),
      NETWORKS[network].account,
    ],
  );
  await client.query('vacuum analyze payment');
}

function render(
  network: BenchNetwork,
  { rates, micros }: Readonly<Record<'rates' | 'micros', Readonly<Record<'bare' | 'ours', readonly number[]>>>>,
  environment: object,
): string {
  const { blockTimeMs } = NETWORKS[network];
  const faster = (rate: number) => ((rate * blockTimeMs) / 1_000).toFixed(rate * blockTimeMs < 100_000 ? 1 : 0);
  const [bare, ours] = [median([...rates.bare]), median([...rates.ours])];
  const cpuOf = (name: 'bare' | 'ours') => (median([...micros[name]]) / 1_000).toFixed(1);
  const rows = [
    ['', 'blocks/s', 'times the chain', '/ bare', 'own CPU ms'],
    ['bare loop', bare.toFixed(1), faster(bare), '1.00', cpuOf('bare')],
    ['watcher', ours.toFixed(1), faster(ours), (ours / bare).toFixed(2), cpuOf('ours')],
  ];
  return `
${alignColumns(rows)}

${network}, blocks of ${BENCHES[network].blocks}; one in ${String(OURS_EVERY)} with a deposit of ours; median of the rounds. Memory of the
reading process: ${(process.memoryUsage().rss / 2 ** 20).toFixed(0)} MiB.
${Object.entries(environment)
  .map(([name, value]) => `${name} ${String(value)}`)
  .join(', ')}
`;
}
