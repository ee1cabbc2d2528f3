// How many posts a lane may have under way at once, learned from what its receiver answers. Pure.

import type { EgressResult } from '../../egress/http-client.ts';

/** What an answer says about the receiver's strength: it took the post, it was too much, or neither. */
export type Strain = 'well' | 'strained' | 'other';

export interface LanePace {
  /** Posts that may be under way at once, from 1. */
  readonly limit: number;
  /** What the last attempt that said anything said; `new` before the first. */
  readonly health: 'new' | 'well' | 'failing';
}

/** Low enough that a receiver which hangs holds few slots until we know, high enough for a first burst. */
export const FIRST_LIMIT = 4;

/**
 * Additive increase, multiplicative decrease: one more for each post that went well while the limit was in use (an idle
 * lane learns nothing about more), half after each that did not, down to 1. So a receiver that is quick has its limit
 * doubled in each round of posts, and one that hangs has one post left after two time-outs.
 */
export function paceAfter(
  pace: LanePace,
  strain: Strain,
  { atLimit, most }: { atLimit: boolean; most: number },
): LanePace {
  switch (strain) {
    case 'well':
      return { health: 'well', limit: atLimit ? Math.min(most, pace.limit + 1) : pace.limit };
    case 'strained':
      return { health: 'failing', limit: Math.max(1, Math.floor(pace.limit / 2)) };
    case 'other':
      return pace;
  }
}

/** Time-outs, failures of the network, 5xx and 429 are strain; any other answer that is no success says nothing. */
export function strainOf(result: Pick<EgressResult, 'kind'> & { readonly status?: number }): Strain {
  if (result.kind === 'failure' || result.status === undefined) return 'strained';
  if (result.status >= 200 && result.status < 300) return 'well';
  return result.status === 429 || result.status >= 500 ? 'strained' : 'other';
}
