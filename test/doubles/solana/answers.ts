// The JSON-RPC methods that the adapter uses, answered from the chain around litesvm in the shapes of Solana's
// documentation.

import type { Address } from '@solana/kit';
import { LIFETIME, type TestBlock, type TestChain } from './chain.ts';
import type { Executed } from './svm.ts';

/** A JSON-RPC error. */
export class Failure extends Error {
  constructor(
    readonly code: number,
    message: string,
    readonly data?: unknown,
  ) {
    super(message);
  }
}

type Options = Readonly<Record<string, unknown>>;
type Method = (chain: TestChain, params: never) => unknown;

const slotOf = (chain: TestChain, commitment: unknown) =>
  (commitment === 'finalized' ? chain.final() : chain.tip()).slot;

const versionOf = ({ loaded }: Executed) => (loaded === null ? 'legacy' : 0);

const metaOf = ({ err, fee, before, after, tokensBefore, tokensAfter }: Executed) => ({
  ...{ err, fee, preBalances: before, postBalances: after },
  ...{ preTokenBalances: tokensBefore, postTokenBalances: tokensAfter },
});

/** The accounts that a message names itself. */
function ownKeysOf({ keys, loaded }: Executed): readonly string[] {
  return keys.slice(0, keys.length - (loaded?.writable.length ?? 0) - (loaded?.readonly.length ?? 0));
}

function blockOf({ hash, parentHash, parentSlot, height, time, entries }: TestBlock, details: unknown) {
  const head = {
    ...{ blockhash: hash, previousBlockhash: parentHash, parentSlot },
    ...{ blockHeight: height, blockTime: time },
  };
  if (details === 'none') return head;
  if (details === 'signatures') return { ...head, signatures: entries.map(({ id }) => id) };
  const transactions = entries.map((entry) => ({
    transaction: {
      signatures: entry.signatures,
      accountKeys: entry.keys.map((pubkey, position) => {
        const source = position < ownKeysOf(entry).length ? 'transaction' : 'lookupTable';
        return { pubkey, signer: false, source, writable: true };
      }),
    },
    meta: metaOf(entry),
    version: versionOf(entry),
  }));
  return { ...head, transactions };
}

const METHODS: Readonly<Record<string, Method>> = {
  getGenesisHash: (chain) => chain.blocks[0]?.hash,
  getSlot: (chain, [options]: readonly [Options]) => slotOf(chain, options.commitment),
  getBlocks: (chain, [first, last, options]: readonly [number, number, Options]) => {
    const end = Math.min(last, slotOf(chain, options.commitment));
    return chain.blocks.map(({ slot }) => slot).filter((slot) => slot >= first && slot <= end);
  },
  getBlock: (chain, [slot, options]: readonly [number, Options]) => {
    if (options.maxSupportedTransactionVersion !== 0)
      throw new Failure(-32_015, 'Transaction version is not supported');
    if (slot > slotOf(chain, options.commitment)) throw new Failure(-32_004, `Block not available for slot ${slot}`);
    const block = chain.bySlot(slot);
    if (!block)
      throw new Failure(-32_007, `Slot ${slot} was skipped, or missing due to ledger jump to recent snapshot`);
    return blockOf(block, options.transactionDetails);
  },
  getLatestBlockhash: (chain) => {
    const { slot, hash, height } = chain.tip();
    return { context: { slot }, value: { blockhash: hash, lastValidBlockHeight: height + LIFETIME } };
  },
  isBlockhashValid: (chain, [hash, options]: readonly [string, Options]) => {
    const slot = slotOf(chain, options.commitment);
    const known = chain.blocks.filter((block) => block.slot <= slot);
    const tied = known.find((block) => block.hash === hash);
    return { context: { slot }, value: tied !== undefined && (known.at(-1)?.height ?? 0) - tied.height <= LIFETIME };
  },
  getMultipleAccounts: (chain, [keys]: readonly [readonly string[]]) => ({
    context: { slot: chain.tip().slot },
    value: keys.map((key) => {
      const account = chain.svm().lite.getAccount(key as Address);
      if (!account.exists) return null;
      const { lamports, programAddress: owner, data, executable } = account;
      return { lamports: Number(lamports), owner, data: [Buffer.from(data).toString('base64'), 'base64'], executable };
    }),
  }),
  getMinimumBalanceForRentExemption: (chain, [bytes]: readonly [number]) =>
    Number(chain.svm().lite.minimumBalanceForRentExemption(BigInt(bytes))),
  getRecentPrioritizationFees: (chain) => [{ slot: chain.tip().slot, prioritizationFee: 0 }],
  simulateTransaction: (chain, [raw]: readonly [string]) => {
    const { err, units } = chain.svm().simulate(Buffer.from(raw, 'base64'));
    return { context: { slot: chain.tip().slot }, value: { err, unitsConsumed: units, logs: [] } };
  },
  sendTransaction: (chain, [raw]: readonly [string]) => {
    const answer = chain.submit(Buffer.from(raw, 'base64'));
    if (typeof answer === 'string') return answer;
    throw new Failure(-32_002, `Transaction simulation failed: ${answer.message}`, { err: answer.err });
  },
  getSignatureStatuses: (chain, [ids]: readonly [readonly string[]]) => ({
    context: { slot: chain.tip().slot },
    value: ids.map((id) => {
      const found = chain.find(id);
      if (!found) return null;
      const { slot } = found.block;
      const isFinal = slot <= chain.final().slot;
      const confirmations = isFinal ? null : chain.tip().height - found.block.height;
      const confirmationStatus = isFinal ? 'finalized' : 'confirmed';
      return { slot, confirmations, err: found.entry.err, confirmationStatus };
    }),
  }),
  getTransaction: (chain, [id]: readonly [string]) => {
    const found = chain.find(id);
    if (!found) return null;
    const { block, entry } = found;
    const transaction = { signatures: entry.signatures, message: { accountKeys: ownKeysOf(entry) } };
    const meta = { ...metaOf(entry), ...(entry.loaded === null ? {} : { loadedAddresses: entry.loaded }) };
    return { slot: block.slot, blockTime: block.time, transaction, meta, version: versionOf(entry) };
  },
};

/** Throws `Failure` for what a node answers with an error. */
export function answerOf(chain: TestChain, method: string, params: readonly unknown[]): unknown {
  const answer = METHODS[method];
  if (!answer) throw new Failure(-32_601, `Method not found: ${method}`);
  return answer(chain, params as never);
}
