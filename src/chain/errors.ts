// What goes wrong when a node is asked.

import type { BlockRef } from './blocks.ts';
import type { Network } from '../values/assets.ts';

/**
 * Why a node refuses a transaction: its nonce was used, the sender cannot pay, it offers too little, it would fail, its
 * time is over; or it would fail to whomever the sender sent it.
 */
export type RejectionReason = 'NONCE' | 'FUNDS' | 'FEES' | 'REVERTED' | 'EXPIRED' | 'SENDER';

/** The node will not have a transaction, for a reason that it gave. */
export class TransactionRefused extends Error {
  /** The newest block of the node that refuses it; null where a refusal was not judged. */
  readonly at: BlockRef | null;

  constructor(
    readonly network: Network,
    readonly reason: RejectionReason,
    options?: { cause?: unknown; at?: BlockRef },
  ) {
    super(`${network}: the node refuses the transaction (${reason})`, options);
    this.name = 'TransactionRefused';
    this.at = options?.at ?? null;
  }
}

/** The node did not answer, or answered with an error: the state of things is unknown, to be asked again. */
export class ChainUnavailable extends Error {
  /** After which the node wants to be asked again (HTTP's Retry-After); null where it did not say. */
  readonly retryAfterMs: number | null;

  constructor(
    readonly network: Network,
    message: string,
    options?: { cause?: unknown; retryAfterMs?: number | null },
  ) {
    super(`${network}: ${message}`, options);
    this.name = 'ChainUnavailable';
    this.retryAfterMs = options?.retryAfterMs ?? null;
  }
}

/** The node answered that it does not take a transaction, for a reason that is not understood: not even the node is at fault. */
export class NotTaken extends ChainUnavailable {
  constructor(network: Network, cause: Error) {
    super(network, `the node does not take the transaction: ${cause.message}`, { cause });
    this.name = 'NotTaken';
  }
}

/** What the chain takes at the moment is more than our own transactions may offer: they wait. The node is all right. */
export class PriceTooHigh extends ChainUnavailable {
  constructor(network: Network, message: string) {
    super(network, message);
    this.name = 'PriceTooHigh';
  }
}

/** The node answers for another moment than the one asked for, which is to be asked for anew. */
export class StateNotKept extends ChainUnavailable {
  constructor(network: Network, height: number) {
    super(network, `the node does not have the state of block ${String(height)} at hand`);
    this.name = 'StateNotKept';
  }
}
