// Goes back further than anvil remembers: rebuilds the blocks up to a height from the nearest checkpoint.

import { readFile, writeFile } from 'node:fs/promises';
import type { Hex } from 'viem';
import type { Rpc } from '../../chain/evm/rpc.ts';
import { dumpState } from './saved-state.ts';
import type { Checkpoint } from './journal.ts';
import { headAt, mineBlocks, sendSigned, setProducer, tipOf } from './steps.ts';

/** A temporary node for rebuilding. */
export interface ScratchNode {
  readonly url: string;
  readonly rpc: Rpc;
  stop(): Promise<void>;
}

interface RebuildRequest {
  /** The node with the whole chain. It is only read. */
  readonly url: string;
  readonly rpc: Rpc;
  /** The newest block to keep. */
  readonly height: number;
  readonly checkpoints: readonly Checkpoint[];
  /** Where the state is written, for the node to load. */
  readonly statePath: string;
  /** Starts a node on a state file, apart from the one that serves clients. */
  readonly openScratchNode: (stateFile: string) => Promise<ScratchNode>;
}

/** The parts of anvil's state file that are cut; the rest is copied. */
interface StateFile {
  block: unknown;
  accounts: unknown;
  best_block_number: number;
  blocks: { header: { number: string } }[];
  transactions: { block_number: number }[];
}

/**
 * Writes the state of the chain as it was at a height. After a restart anvil holds only the newest state, so this is
 * how a reorganisation reaches blocks that were mined before. Throws unless the blocks are the same, hash for hash.
 */
export async function rebuildBelow(request: RebuildRequest): Promise<void> {
  const { url, rpc, height, statePath } = request;
  const from = await nearestCheckpoint(request);
  const expected = await headAt(rpc, height);
  const whole = JSON.parse((await dumpState(url)).toString('utf8')) as StateFile;
  const { block, accounts } = JSON.parse(await readFile(from.path, 'utf8')) as StateFile;
  const cut: StateFile = {
    ...whole,
    block,
    accounts,
    best_block_number: from.height,
    blocks: whole.blocks.filter(({ header }) => Number(header.number) <= from.height),
    transactions: whole.transactions.filter((transaction) => transaction.block_number <= from.height),
  };
  await writeFile(statePath, JSON.stringify(cut), { mode: 0o600 });

  const scratch = await request.openScratchNode(statePath);
  try {
    for (let at = from.height + 1; at <= height; at += 1) await copyBlock(rpc, scratch.rpc, at);
    const { hash } = await tipOf(scratch.rpc);
    if (hash !== expected?.hash) throw new Error(`The block at height ${height} could not be made again`);
    await writeFile(statePath, await dumpState(scratch.url), { mode: 0o600 });
  } finally {
    await scratch.stop();
  }
}

async function nearestCheckpoint({ rpc, height, checkpoints }: RebuildRequest): Promise<Checkpoint> {
  for (const checkpoint of checkpoints.toReversed()) {
    if (checkpoint.height > height) continue;
    if ((await headAt(rpc, checkpoint.height))?.hash === checkpoint.hash) return checkpoint;
  }
  throw new Error(`There is no checkpoint at or below height ${height}`);
}

interface SourceBlock {
  readonly transactions: readonly Hex[];
  readonly miner: string;
  readonly timestamp: string;
  readonly baseFeePerGas: string;
}

async function copyBlock(from: Rpc, to: Rpc, height: number): Promise<void> {
  const block = (await from.call('eth_getBlockByNumber', [`0x${height.toString(16)}`, false])) as SourceBlock;
  for (const hash of block.transactions) {
    await sendSigned(to, (await from.call('eth_getRawTransactionByHash', [hash])) as Hex);
  }
  await setProducer(to, block.miner);
  await mineBlocks(to, 1, Number(block.timestamp), BigInt(block.baseFeePerGas));
}
