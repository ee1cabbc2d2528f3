// How the hosted chain's node takes a step, takes the journal's steps again, and has its state saved.

import type { Hex } from 'viem';
import { keccak256 } from 'viem/utils';
import { RpcError } from '../../chain/evm/rpc.ts';
import { dumpState } from './saved-state.ts';
import { applyStep, hex, sendAgain, type Step, tipOf } from './steps.ts';
import type { HostedChain } from './anvil-chain.ts';

/** Does a step; false when the journal does not know what came of it, because somebody drove the node past us. */
export async function perform(chain: HostedChain, step: Step): Promise<boolean> {
  const { rpc } = chain.node;
  const startedMs = performance.now();
  await applyStep(rpc, step);
  for (const raw of step.sends) chain.pending.set(keccak256(raw), raw);
  let known = true;
  if (step.blocks > 0) {
    const first = await rpc.call('eth_getBlockByNumber', [hex(chain.tip.height + 1), false]);
    // Somebody who goes back past us may have taken it off already.
    const mined = (first as { transactions: Hex[] } | null)?.transactions;
    known = mined !== undefined;
    for (const hash of mined ?? []) known = chain.pending.delete(hash) && known;
    chain.tip = await tipOf(rpc);
  }
  chain.replayMs += performance.now() - startedMs;
  return known;
}

/** Brings a node that has just loaded the snapshot to where the journal ends. */
export async function replay(chain: HostedChain): Promise<void> {
  const { journal, node } = chain;
  chain.pending = await sendAgain(node.rpc, journal.mark?.pending ?? []);
  chain.tip = await tipOf(node.rpc);
  chain.replayMs = 0;
  for (const step of journal.steps) {
    // What was refused when it was first done is refused again.
    await perform(chain, step).catch((error: unknown) => {
      if (!(error instanceof RpcError)) throw error;
    });
  }
}

/** Puts the whole state on disk in the journal's place. */
export async function saveSnapshot(chain: HostedChain): Promise<void> {
  clearTimeout(chain.timer);
  const dump = await dumpState(chain.node.url);
  const { height, hash } = chain.tip;
  await chain.journal.save({ height, hash, pending: [...chain.pending.values()] }, dump);
  chain.replayMs = 0;
}
