// Sends payouts: reserved money becomes a signed transaction, stored before it is broadcast, and followed to the end.
// The stored transaction is the truth. A process that dies anywhere leaves it, and the next one sends it as it is.

import type { Deps } from '../domain/deps.ts';
import type { Worker } from '../loop.ts';
import { createAccountPayer } from './account/payer.ts';
import { createContext, type Context, type Followed, type Payer, type SenderOptions } from './context.ts';
import { followTransfers } from './transactions/follow.ts';
import { createUtxoPayer } from './utxo/payer.ts';
import { openWallets } from './keys/wallets.ts';

export type { SenderOptions, TestChain } from './context.ts';

/** Blocks are mined so often for one set of transactions; a node that holds them back is not mined into the ground. */
const MINE_AT_MOST = 5;

/** What is followed while nothing waits. */
const NOTHING: Followed = { progressed: false, unmined: [], short: [], blocksWanted: 0 };

interface Opened {
  readonly ctx: Context;
  readonly payer: Payer;
}

/**
 * Makes the sender of one network. One round follows what was sent and signs what can be paid; several processes may
 * run it at once. Throws `ChainUnavailable` when the node does not answer: nothing is decided then.
 */
export function createTransferSender(deps: Deps, options: SenderOptions): Worker {
  let opened: Promise<Opened> | null = null;
  const open = () => {
    opened ??= openPayer(deps, options).catch((error: unknown) => {
      opened = null;
      throw error;
    });
    return opened;
  };
  const mine = createMiner();

  return {
    name: `send-transfers ${options.chain.adapter.network}`,
    async processNext() {
      const { ctx, payer } = await open();
      const isClear = await ctx.comparison.look();
      if (isClear && ctx.comparison.isAtRest()) {
        await mine(ctx, NOTHING);
        return payer.tidyUp();
      }
      const before = await followTransfers(ctx, payer);
      if (!isClear) return before.progressed;
      const helped = await payer.helpShort(before);
      const signed = await payer.payDue(before.unmined);
      // What was just signed is sent at once.
      const after = signed ? await followTransfers(ctx, payer) : before;
      const mined = await mine(ctx, after);
      return [before.progressed, after.progressed, helped, signed, mined].some(Boolean);
    },
  };
}

async function openPayer(deps: Deps, options: SenderOptions): Promise<Opened> {
  const { adapter } = options.chain;
  const wallets = await openWallets(options.signer, options.chain);
  const ctx = createContext(deps, options, wallets);
  const payer =
    adapter.model === 'OUTPUTS'
      ? createUtxoPayer({ ...ctx, chain: { ...ctx.chain, adapter } })
      : createAccountPayer({ ...ctx, chain: { ...ctx.chain, adapter } });
  await payer.open();
  return { ctx, payer };
}

/** Mines the sandbox's chain until what the node has is final. */
function createMiner() {
  let last = '';
  let times = 0;
  return async ({ devChain, chain, deps }: Context, { unmined, blocksWanted }: Followed): Promise<boolean> => {
    if (!devChain) return false;
    if (blocksWanted === 0) {
      last = '';
      return false;
    }
    const name = `${unmined.map(({ txHash }) => txHash).join()}/${String(blocksWanted)}`;
    times = name === last ? times + 1 : 0;
    last = name;
    if (times >= MINE_AT_MOST) return false;
    await devChain.mine(blocksWanted);
    deps.signals.chain(chain.adapter.network);
    return true;
  };
}
