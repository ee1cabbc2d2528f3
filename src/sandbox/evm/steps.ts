// Operations on a development node, specified so exactly that repeating them makes the same blocks, hash for hash.

import type { Hex } from 'viem';
import { keccak256 } from 'viem/utils';
import type { BlockHead } from '../../chain/blocks.ts';
import { type Rpc, RpcError } from '../../chain/evm/rpc.ts';
import { readHead } from '../../chain/evm/rpc-types.ts';

/**
 * Signed transactions that are put into the mempool in order, and then blocks that are mined: the first takes what it
 * can.
 */
export interface Step {
  readonly sends: readonly Hex[];
  /** 0 mines nothing. */
  readonly blocks: number;
  /** Block time of every block of the step, Unix seconds. */
  readonly time: number;
}

/** The base fee at which each step starts, in wei. Otherwise it would fall to nothing, and not the same way twice. */
const BASE_FEE_WEI = 1_000_000_000n;
const ZERO_ADDRESS = `0x${'00'.repeat(20)}`;

export const hex = (value: number | bigint): Hex => `0x${value.toString(16)}`;

/** The newest block. */
export async function tipOf(rpc: Rpc): Promise<BlockHead> {
  return (await headAt(rpc, 'latest')) ?? rpc.fail('the node has no newest block');
}

/** The block at a height on the canonical chain, null above the tip. */
export async function headAt(rpc: Rpc, height: number | 'latest'): Promise<BlockHead | null> {
  return readHead(await rpc.call('eth_getBlockByNumber', [height === 'latest' ? height : hex(height), false]));
}

/**
 * Puts a signed transaction into the mempool, if it is not there yet, and returns its hash. Throws `RpcError` when the
 * node refuses it.
 */
export async function sendSigned(rpc: Rpc, raw: Hex): Promise<Hex> {
  try {
    await rpc.call('eth_sendRawTransaction', [raw]);
  } catch (error) {
    if (!(error instanceof RpcError && error.message.includes('already imported'))) throw error;
  }
  return keccak256(raw);
}

/**
 * Mines blocks. The first has the given time, and so do the others on a node started by `launchNode`. anvil takes a
 * time equal to the parent's, so a thousand blocks in a second do not carry the chain's clock ahead of ours.
 */
export async function mineBlocks(rpc: Rpc, count: number, time: number, baseFeeWei = BASE_FEE_WEI): Promise<void> {
  await rpc.call('anvil_setNextBlockBaseFeePerGas', [hex(baseFeeWei)]);
  await rpc.call('evm_setNextBlockTimestamp', [time]);
  await rpc.call('anvil_mine', [hex(count)]);
}

/** Sets the producer that the next blocks name; the zero address by default. */
export async function setProducer(rpc: Rpc, address = ZERO_ADDRESS): Promise<void> {
  await rpc.call('anvil_setCoinbase', [address]);
}

/** Performs a whole step. Throws `RpcError`, with no block mined, when the node refuses one of its transactions. */
export async function applyStep(rpc: Rpc, step: Step): Promise<void> {
  for (const raw of step.sends) await sendSigned(rpc, raw);
  if (step.blocks > 0) await mineBlocks(rpc, step.blocks, step.time);
}

/** Removes the newest blocks; false when the node no longer holds the state below them. */
export async function rollBack(rpc: Rpc, depth: number): Promise<boolean> {
  try {
    await rpc.call('anvil_rollback', [depth]);
    return true;
  } catch (error) {
    if (error instanceof RpcError) return false;
    throw error;
  }
}

/**
 * Mines empty blocks after a roll-back, and then puts `pending` back into the mempool. The mempool is emptied first:
 * anvil would put its transactions into these blocks, or drop them when a transaction before them is gone. The blocks
 * name `producer`, so that they differ from empty blocks that they replace within the same second.
 */
export async function mineEmptyBlocks(
  rpc: Rpc,
  { blocks, time, producer, pending }: { blocks: number; time: number; producer: string; pending: readonly Hex[] },
): Promise<Map<Hex, Hex>> {
  await rpc.call('anvil_dropAllTransactions', []);
  await setProducer(rpc, producer);
  await mineBlocks(rpc, blocks, time);
  await setProducer(rpc);
  return sendAgain(rpc, pending);
}

/** Puts transactions back into the mempool; those that the chain no longer admits stay out. */
export async function sendAgain(rpc: Rpc, raws: readonly Hex[]): Promise<Map<Hex, Hex>> {
  const sent = new Map<Hex, Hex>();
  for (const raw of raws) {
    try {
      sent.set(await sendSigned(rpc, raw), raw);
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
    }
  }
  return sent;
}
