// Watches addresses that the lost copy of the book may have given to orders. What arrives there is kept in suspense
// until its owner is known.

import type { ChainAdapter } from '../../chain/adapter.ts';
import { addGap, readGapBounds, readUntaken, readXpub, type GapAddress } from '../../database/queries/chain/gap.ts';
import type { EntityManager } from '../../database/connection.ts';
import { inTransaction, type Deps } from '../../domain/deps.ts';
import { accountPath, accountPaths, pooledPaths } from '../keys/account-keys.ts';
import type { Signer } from '../keys/signer.ts';

/** Addresses per batch. */
const CHUNK = 5_000;
/**
 * Indexes follow the clock, one a second, so this is more than twenty days. Beyond it, only the gap itself is watched.
 */
const MOST_BY_CLOCK = 2_000_000;

/** The time of a block may be up to two hours ahead of ours, plus a margin. */
const AHEAD_MS = 3 * 3_600_000;

export interface GapOptions {
  readonly adapter: ChainAdapter;
  readonly signer: Signer;
  /** How many indexes to watch beyond the book's last one, and beyond the clock's. */
  readonly gap: number;
  /** The height to which the network had been read when the book was restored. */
  readonly height: number;
}

/** A range of indexes; `end` is one more than the last. */
export interface IndexRange {
  readonly first: number;
  readonly end: number;
}

/** The indexes to watch. Throws `ChainUnavailable`. */
export async function findGap(em: EntityManager, { adapter, gap, height }: GapOptions): Promise<IndexRange[]> {
  const { network, account } = adapter;
  const head = await adapter.headAt(height);
  const writtenAfter = head && new Date(head.time.getTime() - AHEAD_MS);
  const { first, clock } = await readGapBounds(em, account, { network, height, writtenAfter });
  const beyond: IndexRange = { first, end: first + gap };
  const byClock: IndexRange = { first: Math.max(clock.first, beyond.end), end: clock.end + gap };
  const isShort = byClock.end > byClock.first && byClock.end - byClock.first <= MOST_BY_CLOCK;
  return gap > 0 && isShort ? [beyond, byClock] : [beyond];
}

/** Watches the addresses from now on. */
export async function watchGap(
  deps: Pick<Deps, 'db'>,
  options: GapOptions,
  ranges: readonly IndexRange[],
): Promise<void> {
  const { em } = deps.db;
  const { account } = options.adapter;
  const keyAt = await createKeys(em, options);
  const add = (addresses: readonly GapAddress[]) => inTransaction(deps, (its) => addGap(its, account, addresses));
  await add(await readUntaken(em, account));
  for (const { first, end } of ranges)
    for (let from = first; from < end; from += CHUNK) {
      const addresses: GapAddress[] = [];
      for (let index = from; index < Math.min(end, from + CHUNK); index += 1)
        addresses.push({ index, key: await keyAt(index) });
      await add(addresses);
    }
}

async function createKeys(
  em: EntityManager,
  { adapter, signer }: GapOptions,
): Promise<(index: number) => string | Promise<string>> {
  const xpub = await readXpub(em, adapter.account);
  if (xpub !== null) return (index) => adapter.derive(xpub, index).key;
  const [curve, paths] =
    adapter.model === 'ACCOUNT' && adapter.addresses === 'POOLED'
      ? [adapter.curve, pooledPaths(adapter.account)]
      : [undefined, accountPaths(adapter.model === 'OUTPUTS' ? adapter.accountPath : accountPath(adapter.account))];
  return async (index) => adapter.addressOf(await signer.publicKey(paths.deposit(index), curve)).key;
}
