// Counts the unfinished deliveries under each lease, so that recording the last one also deletes the claim's row.

import type { ClaimKey } from '../../../database/queries/webhooks/record-attempts.ts';

export type Leases = ReturnType<typeof createLeases>;

/** Claims it does not know are left to expire. */
export function createLeases() {
  const open = new Map<string, { readonly key: ClaimKey; count: number }>();
  /** Finished, but their rows still exist. */
  const left = new Map<string, ClaimKey>();
  return {
    take(claims: readonly ClaimKey[]): void {
      for (const key of claims) {
        const claim = open.get(key.lease);
        if (claim) claim.count += 1;
        else open.set(key.lease, { key, count: 1 });
      }
    },
    /** The claims that are finished once these deliveries are recorded. */
    overAfter(batch: readonly ClaimKey[]): ClaimKey[] {
      const over = [...left.values()];
      for (const [lease, { length }] of Map.groupBy(batch, (key) => key.lease)) {
        const claim = open.get(lease);
        if (claim?.count === length) over.push(claim.key);
      }
      return over;
    },
    /** Counts these deliveries as finished; the rows of the claims in `over` are gone. */
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
    /** Leaves a claim to expire: something under it was neither recorded nor released. */
    abandon: ({ lease }: ClaimKey) => void open.delete(lease),
  };
}
