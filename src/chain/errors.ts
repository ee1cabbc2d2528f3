// The errors of chain adapters: a node is unavailable, or it rejects a transaction.

import type { BlockRef } from './blocks.ts';
import type { Network } from '../values/assets.ts';

/**
 * Why a node rejects a transaction: its nonce is used, the sender cannot pay, its fee is too low, it would revert, it
 * has expired; `SENDER`: it would revert for any recipient.
 */
export type RejectionReason = 'NONCE' | 'FUNDS' | 'FEES' | 'REVERTED' | 'EXPIRED' | 'SENDER';

/** The node rejected a transaction for a known reason. */
export class TransactionRefused extends Error {
  /** The node's newest block when a control transaction confirmed the rejection; null if none was tried. */
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

/** The node did not answer, or answered with an error. Nothing is known; ask again. */
export class ChainUnavailable extends Error {
  /** How long the node asks us to wait (HTTP's Retry-After); null if it did not say. */
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

/** The node rejected a transaction for a reason that we do not recognise. The node itself is healthy. */
export class NotTaken extends ChainUnavailable {
  constructor(network: Network, cause: Error) {
    super(network, `the node does not take the transaction: ${cause.message}`, { cause });
    this.name = 'NotTaken';
  }
}

/** The network's current fee exceeds our limit, so our transactions wait. The node itself is healthy. */
export class PriceTooHigh extends ChainUnavailable {
  constructor(network: Network, message: string) {
    super(network, message);
    this.name = 'PriceTooHigh';
  }
}

/** The node does not have the state of the block that was asked for. Ask again for another block. */
export class StateNotKept extends ChainUnavailable {
  constructor(network: Network, height: number) {
    super(network, `the node does not have the state of block ${String(height)}`);
    this.name = 'StateNotKept';
  }
}
