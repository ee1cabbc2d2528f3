// Questions of the sandbox chain's tests to its node, and ways to kill it.

import { fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pino from 'pino';
import { encodeFunctionData, erc20Abi, type Hex } from 'viem';
import type { Network } from '../../../src/values/assets.ts';
import { chainFolder } from '../../../src/sandbox/paths.ts';
import { createDevChain, type DevChain } from '../../../src/sandbox/evm/dev-chain.ts';
import { processesMarked } from '../../../src/sandbox/leftover-processes.ts';

const log = pino({ level: 'silent' });

export interface Block {
  number: string;
  hash: string;
  parentHash: string;
  timestamp: string;
  transactions: Hex[];
}

/** A test's data folder: opens its chain any number of times, and cleans up. */
export interface Home {
  readonly dataDir: string;
  /** In this process. */
  open(now?: () => number): Promise<DevChain>;
  /** In a process of its own, which can be killed. */
  openApart(): Promise<ChainApart>;
  /** The process ids of the anvils on this folder. */
  pids(): Promise<number[]>;
  remove(): Promise<void>;
}

/** A chain whose program is another process. */
export interface ChainApart extends Pick<DevChain, 'rpcUrl' | 'contracts'> {
  deposit: DevChain['deposit'];
  mine: DevChain['mine'];
  reorg: DevChain['reorg'];
  tip: DevChain['tip'];
  /** kill -9 of the program alone; its anvil is left running. */
  killProgram(): Promise<void>;
  /** kill -9 of the program and its anvil at once. Unanswered calls are rejected. */
  killAll(): Promise<void>;
}

/** An anvil whose program was killed may end by itself, because its output is closed. */
function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** A new folder for a network's chain, or that of `beside`, another network's. */
export function makeHome(network: Network = 'ETH', beside?: Home): Home {
  const dataDir = beside?.dataDir ?? mkdtempSync(join(tmpdir(), 'turnpike chain '));
  const pids = () => processesMarked(join(chainFolder(dataDir, network), 'anvil'));
  const killAnvils = async () => (await pids()).forEach(killIfThere);
  const programs: (() => Promise<void>)[] = [];
  return {
    dataDir,
    open: (now) => createDevChain({ dataDir, network, log, ...(now && { now }) }),
    openApart: () => openApart({ dataDir, network }, killAnvils, (kill) => programs.push(kill)),
    pids,
    async remove() {
      for (const kill of programs) await kill();
      await killAnvils();
      rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

async function openApart(
  { dataDir, network }: { dataDir: string; network: Network },
  killAnvils: () => Promise<void>,
  onStart: (kill: () => Promise<void>) => void,
): Promise<ChainApart> {
  const program = fileURLToPath(new URL('./program.fixture.js', import.meta.url));
  const child = fork(program, [dataDir, network], { serialization: 'advanced', execArgv: [] });
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const waiting = new Map<number, { resolve: (value: never) => void; reject: (error: Error) => void }>();
  let lastId = 0;
  child.on('message', ({ id, value, error }: { id: number; value?: unknown; error?: string }) => {
    const call = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) call?.resolve(value as never);
    else call?.reject(new Error(error));
  });
  void gone.then(() => waiting.forEach(({ reject }) => reject(new Error('killed'))));
  const call = <T>(method: string, argument?: unknown): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      lastId += 1;
      waiting.set(lastId, { resolve, reject });
      if (!child.connected) return reject(new Error('killed'));
      child.send({ id: lastId, method, argument }, (error) => error && reject(error));
    });
  const killProgram = async () => {
    child.kill('SIGKILL');
    await gone;
  };
  onStart(killProgram);
  const { rpcUrl, contracts } = await call<Pick<DevChain, 'rpcUrl' | 'contracts'>>('open');
  return {
    ...{ rpcUrl, contracts, killProgram },
    deposit: (request) => call('deposit', request),
    mine: (count) => call('mine', count),
    reorg: (depth) => call('reorg', depth),
    tip: () => call('tip'),
    killAll: async () => {
      await Promise.all([killProgram(), killAnvils()]);
    },
  };
}

/** Asks a node by JSON-RPC; throws its error. */
export async function ask<T = unknown>(chain: { rpcUrl: string }, method: string, ...params: unknown[]): Promise<T> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const response = await fetch(chain.rpcUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  const { result, error } = (await response.json()) as { result: T; error?: { message: string } };
  if (error) throw new Error(`${method}: ${error.message}`);
  return result;
}

export const blockAt = (chain: Chain, at: number | string) =>
  ask<Block>(chain, 'eth_getBlockByNumber', typeof at === 'number' ? `0x${at.toString(16)}` : at, false);

/** The calls to a chain, in whichever process it is. */
type Chain = Pick<DevChain, 'rpcUrl' | 'contracts' | 'tip'>;

/** Every block's hash, from the first. */
export async function hashes(chain: Chain): Promise<string[]> {
  const { height } = await chain.tip();
  return Promise.all(Array.from({ length: height + 1 }, async (_, at) => (await blockAt(chain, at)).hash));
}

/** Every transaction after the block that deployed the tokens, with its height. */
export async function transactions(chain: Chain): Promise<{ hash: string; height: number }[]> {
  const { height } = await chain.tip();
  const heights = Array.from({ length: height - 1 }, (_, at) => at + 2);
  const blocks = await Promise.all(heights.map((at) => blockAt(chain, at)));
  return blocks.flatMap((block) => block.transactions.map((hash) => ({ hash, height: Number(block.number) })));
}

export async function confirmationsOf(chain: Chain, txHash: string): Promise<number | null> {
  const receipt = await ask<{ blockNumber: string; status: string } | null>(chain, 'eth_getTransactionReceipt', txHash);
  if (!receipt) return null;
  if (receipt.status !== '0x1') throw new Error(`${txHash} failed`);
  return (await chain.tip()).height - Number(receipt.blockNumber);
}

export async function balanceOf(chain: Chain, currency: string, address: string): Promise<bigint> {
  const contract = chain.contracts.get(currency);
  if (!contract) return BigInt(await ask<string>(chain, 'eth_getBalance', address, 'latest'));
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [address as Hex] });
  return BigInt(await ask<string>(chain, 'eth_call', { to: contract, data }, 'latest'));
}

/** Hashes of what waits in the mempool. */
export async function poolOf(chain: Chain): Promise<string[]> {
  const pool = await ask<Record<string, Record<string, Record<string, { hash: string }>>>>(chain, 'txpool_content');
  return Object.values(pool).flatMap((part) =>
    Object.values(part).flatMap((byNonce) => Object.values(byNonce).map((transaction) => transaction.hash)),
  );
}

export async function until(condition: () => Promise<boolean>, withinMs = 30_000): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!(await condition().catch(() => false))) {
    if (performance.now() > deadline) throw new Error('It did not come about in time');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** A random generator that gives the same numbers for the same seed (mulberry32). */
export function seeded(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}
