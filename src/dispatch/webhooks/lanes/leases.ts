// How much of each claim is still to be done, so that the record of the last of it takes the claim away with it.

import type { ClaimKey } from '../../../database/queries/webhooks/record-attempts.ts';

export type OpenClaims = ReturnType<typeof createOpenClaims>;

/** Counts deliveries by their claims. A claim that it does not know is left to its lease. */
export function createOpenClaims() {
  const open = new Map<string, { readonly key: ClaimKey; count: number }>();
  /** Nothing is left under these, but their rows are still there. */
  const left = new Map<string, ClaimKey>();
  return {
    take(claims: readonly ClaimKey[]): void {
      for (const key of claims) {
        const claim = open.get(key.lease);
        if (claim) claim.count += 1;
        else open.set(key.lease, { key, count: 1 });
      }
    },
    /** The claims of which nothing is left when these deliveries are recorded. */
    overAfter(batch: readonly ClaimKey[]): ClaimKey[] {
      const over = [...left.values()];
      for (const [lease, { length }] of Map.groupBy(batch, (key) => key.lease)) {
        const claim = open.get(lease);
        if (claim?.count === length) over.push(claim.key);
      }
      return over;
    },
    /** Notes that these deliveries are done with, and that the rows of the claims that were `over` are gone. */
    done(batch: readonly ClaimKey[], over: readonly ClaimKey[] = []): void {
      for (const { lease } of batch) {
        const claim = open.get(lease);
        if (!claim) continue;
        claim.count -= 1;
        if (claim.count > 0) continue;
        open.delete(lease);
        left.set(lease, claim.key);
      }
      for (const { lease } of over) left.delete(lease);
    },
    /** Leaves a claim to its lease: something under it was neither recorded nor given back. */
    abandon: ({ lease }: ClaimKey) => void open.delete(lease),
  };
}
