// Finds out why a transaction cannot be quoted: because of the recipient, the sender, or the node. A recipient's
// contract can fail in countless ways, and nodes word them differently, so the same node is asked to quote a control
// transaction on which the recipient has no influence.

import type { Network } from '../values/assets.ts';
import type { BlockRef } from './blocks.ts';
import { ChainUnavailable, PriceTooHigh, TransactionRefused } from './errors.ts';
import type { Quote, TransactionRequest } from './transactions.ts';
import { guarded } from './invalid-response.ts';

interface JudgeDeps {
  readonly network: Network;
  /** The network's coin. */
  readonly coin: string;
  tip(): Promise<BlockRef>;
}

type ReadQuote = (request: TransactionRequest) => Promise<Quote>;

/** Makes `AccountSender.quote` from a function that quotes with one node. */
export function judgedQuote(deps: JudgeDeps, ask: ReadQuote) {
  const read = guarded(deps, ask);
  return async (request: TransactionRequest, control?: TransactionRequest): Promise<Quote> => {
    try {
      return await read(request);
    } catch (error) {
      if (control === undefined || !needsControl(error)) throw error;
      throw await judge(deps, read, control, error);
    }
  };
}

/** Only a revert or an unclear failure can be the recipient's doing. Other rejections and high fees cannot. */
function needsControl(error: unknown): error is Error {
  if (error instanceof PriceTooHigh) return false;
  return error instanceof ChainUnavailable || (error instanceof TransactionRefused && error.reason === 'REVERTED');
}

async function judge({ network, coin, tip }: JudgeDeps, read: ReadQuote, control: TransactionRequest, error: Error) {
  const answer = await outcomeOf(read, control);
  if (answer === 'fine') return new TransactionRefused(network, 'REVERTED', { cause: error, at: await tip() });
  if (answer === 'refused') return new TransactionRefused(network, 'SENDER', { cause: error });
  // The token fails for every recipient while the node still quotes the coin: the node is healthy.
  const coinTransfer = { ...control, currency: coin, amount: 1n };
  const isToken = control.currency !== coin;
  if (isToken && (await outcomeOf(read, coinTransfer)) === 'fine')
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
