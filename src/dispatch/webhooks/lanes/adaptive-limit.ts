// How many posts a lane may have in flight, learned from its receiver's responses. Pure.

import type { PostResult } from '../../../egress/http-client.ts';

/** What a response says about the receiver's load: it coped, it was overloaded, or nothing. */
export type Strain = 'well' | 'strained' | 'other';

export interface AdaptiveLimit {
  /** Posts that may be in flight at once, at least 1. */
  readonly limit: number;
  /** The last attempt that was not `other`; `new` before the first. */
  readonly health: 'new' | 'well' | 'failing';
}

/** Low enough that a hanging receiver holds few slots until we know, high enough for a first burst. */
export const FIRST_LIMIT = 4;

/**
 * Additive increase, multiplicative decrease: one more for each post that went well while the limit was used up (an
 * idle lane shows nothing about higher limits), half after each strained post, down to 1. So the limit of a quick
 * receiver doubles in each round of posts, and a hanging receiver has one post left after two time-outs.
 */
export function adaptLimit(
  current: AdaptiveLimit,
  strain: Strain,
  { atLimit, most }: { atLimit: boolean; most: number },
): AdaptiveLimit {
  switch (strain) {
    case 'well':
      return { health: 'well', limit: atLimit ? Math.min(most, current.limit + 1) : current.limit };
    case 'strained':
      return { health: 'failing', limit: Math.max(1, Math.floor(current.limit / 2)) };
    case 'other':
      return current;
  }
}

/** Time-outs, network failures, 5xx and 429 are strain; any other response that is not a success says nothing. */
export function strainOf(result: Pick<PostResult, 'kind'> & { readonly status?: number }): Strain {
  if (result.kind === 'failure' || result.status === undefined) return 'strained';
  if (result.status >= 200 && result.status < 300) return 'well';
  return result.status === 429 || result.status >= 500 ? 'strained' : 'other';
}
