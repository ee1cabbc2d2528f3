// Whose fault it is that a transfer cannot be estimated: its own, the sender's, or the node's. A recipient can make an
// estimate fail in any way that a program can fail, and nodes say it in as many; so the same node is asked for a transfer
// in which the recipient has no say.

import type { Network } from '../values/assets.ts';
import type { BlockRef } from './blocks.ts';
import { ChainUnavailable, PriceTooHigh, TransactionRefused } from './errors.ts';
import type { Quote, TransactionRequest } from './transactions.ts';
import { guarded } from './invalid-response.ts';

interface JudgeDeps {
  readonly network: Network;
  /** The coin, which the plainest transfer of all moves. */
  readonly coin: string;
  tip(): Promise<BlockRef>;
}

type ReadQuote = (request: TransactionRequest) => Promise<Quote>;

/** Makes `AccountSender.quote` of a reader of quotes that asks one node. */
export function judgedQuote(deps: JudgeDeps, ask: ReadQuote) {
  const read = guarded(deps, ask);
  return async (request: TransactionRequest, control?: TransactionRequest): Promise<Quote> => {
    try {
      return await read(request);
    } catch (error) {
      if (control === undefined || !isToBeJudged(error)) throw error;
      throw await judge(deps, read, control, error);
    }
  };
}

/** What is neither a plain refusal nor an answer of no meaning is no matter of the recipient; nor are prices. */
function isToBeJudged(error: unknown): error is Error {
  if (error instanceof PriceTooHigh) return false;
  return error instanceof ChainUnavailable || (error instanceof TransactionRefused && error.reason === 'REVERTED');
}

async function judge({ network, coin, tip }: JudgeDeps, read: ReadQuote, control: TransactionRequest, error: Error) {
  const answer = await outcomeOf(read, control);
  if (answer === 'fine') return new TransactionRefused(network, 'REVERTED', { cause: error, at: await tip() });
  if (answer === 'refused') return new TransactionRefused(network, 'SENDER', { cause: error });
  // A token that fails for everybody is no fault of the node that says so: it still estimates the coin.
  const plain = { ...control, currency: coin, amount: 1n };
  const isToken = control.currency !== coin;
  if (isToken && (await outcomeOf(read, plain)) === 'fine')
    return new TransactionRefused(network, 'SENDER', { cause: error });
  return error instanceof ChainUnavailable ? error : answer.unknown;
}

async function outcomeOf(read: ReadQuote, request: TransactionRequest) {
  try {
    await read(request);
    return 'fine';
  } catch (error) {
    if (error instanceof TransactionRefused) return 'refused';
    if (error instanceof ChainUnavailable) return { unknown: error };
    throw error;
  }
}
