// Performs steps on the anvil chain's node, replays the journal, and saves snapshots.

import type { Hex } from 'viem';
import { keccak256 } from 'viem/utils';
import { RpcError } from '../../chain/evm/rpc.ts';
import { dumpState } from './saved-state.ts';
import { applyStep, hex, sendAgain, type Step, tipOf } from './steps.ts';
import type { AnvilChain } from './chain-state.ts';

/** Performs a step; false if its result is unknown, because another client advanced the node. */
export async function perform(chain: AnvilChain, step: Step): Promise<boolean> {
  const { rpc } = chain.node;
  const startedMs = performance.now();
  await applyStep(rpc, step);
  for (const raw of step.sends) chain.pending.set(keccak256(raw), raw);
  let isKnown = true;
  if (step.blocks > 0) {
    const first = await rpc.call('eth_getBlockByNumber', [hex(chain.tip.height + 1), false]);
    // Another client that rolled back may have removed it already.
    const mined = (first as { transactions: Hex[] } | null)?.transactions;
    isKnown = mined !== undefined;
    for (const hash of mined ?? []) isKnown = chain.pending.delete(hash) && isKnown;
    chain.tip = await tipOf(rpc);
  }
  chain.replayMs += performance.now() - startedMs;
  return isKnown;
}

/** Brings a node that just loaded the snapshot to the end of the journal. */
export async function replay(chain: AnvilChain): Promise<void> {
  const { journal, node } = chain;
  chain.pending = await sendAgain(node.rpc, journal.mark?.pending ?? []);
  chain.tip = await tipOf(node.rpc);
  chain.replayMs = 0;
  for (const step of journal.steps) {
    // A transaction that was refused the first time is refused again.
    await perform(chain, step).catch((error: unknown) => {
      if (!(error instanceof RpcError)) throw error;
    });
  }
}

/** Saves the whole state on disk, in place of the journal. */
export async function saveSnapshot(chain: AnvilChain): Promise<void> {
  clearTimeout(chain.timer);
  const dump = await dumpState(chain.node.url);
  const { height, hash } = chain.tip;
  await chain.journal.save({ height, hash, pending: [...chain.pending.values()] }, dump);
  chain.replayMs = 0;
}
