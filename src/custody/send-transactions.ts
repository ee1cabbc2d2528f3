// Sends payouts: signs a transaction for reserved money, stores it before it is broadcast, and follows it to the end.
// The stored transaction is the truth: a process that dies at any point leaves it behind, and the next one sends it
// unchanged.

import type { Deps } from '../domain/deps.ts';
import type { Worker } from '../loop.ts';
import { createAccountPayer } from './account/payer.ts';
import { createContext, type Context, type Followed, type Payer, type SenderOptions } from './context.ts';
import { followTransactions } from './transactions/follow.ts';
import { createUtxoPayer } from './utxo/payer.ts';
import { openWallets } from './keys/wallets.ts';

export type { SenderOptions, TestChain } from './context.ts';

/** How often blocks are mined for the same transactions, so that a node that withholds them does not mine forever. */
const MINE_AT_MOST = 5;

/** The result of a round in which nothing waits. */
const NOTHING: Followed = { progressed: false, unmined: [], underfunded: [], blocksWanted: 0 };

interface Opened {
  readonly ctx: Context;
  readonly payer: Payer;
}

/**
 * Creates the sender of one network. A round follows what was sent and signs what can be paid; several processes may
 * run it at once. Throws `ChainUnavailable`, with nothing decided, if the node does not answer.
 */
export function createTransactionSender(deps: Deps, options: SenderOptions): Worker {
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
    name: `send-transactions ${options.chain.adapter.network}`,
    async processNext() {
      const { ctx, payer } = await open();
      const isClear = await ctx.comparison.check();
      if (isClear && ctx.comparison.isAtRest()) {
        await mine(ctx, NOTHING);
        return payer.tidyUp();
      }
      const before = await followTransactions(ctx, payer);
      if (!isClear) return before.progressed;
      const funded = await payer.fundSenders(before);
      const signed = await payer.payDue(before.unmined);
      // Sends at once what was just signed.
      const after = signed ? await followTransactions(ctx, payer) : before;
      const mined = await mine(ctx, after);
      return [before.progressed, after.progressed, funded, signed, mined].some(Boolean);
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

/** Mines the sandbox's chain until everything that the node has is final. */
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
