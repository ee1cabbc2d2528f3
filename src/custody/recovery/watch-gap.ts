// Addresses that the lost copy of the book may have given to orders: what arrives there belongs to somebody, and is kept in
// suspense until it is known to whom.

import type { ChainAdapter } from '../../chain/adapter.ts';
import { addGap, readGapBounds, readUntaken, readXpub, type GapAddress } from '../../database/queries/chain/gap.ts';
import type { EntityManager } from '../../database/connection.ts';
import { inTransaction, type Deps } from '../../domain/deps.ts';
import { accountPath, accountPaths, pooledPaths } from '../keys/account-keys.ts';
import type { Signer } from '../keys/signer.ts';

/** Addresses derived between two statements. */
const CHUNK = 5_000;
/** Indexes by the clock, one a second: twenty days and more. Beyond, only the gap itself is watched. */
const MOST_BY_CLOCK = 2_000_000;

/** A block's time may be ahead of ours by two hours, where its producers go to the limit. */
const AHEAD_MS = 3 * 3_600_000;

export interface GapOptions {
  readonly adapter: ChainAdapter;
  readonly signer: Signer;
  /** Indexes beyond the book's last one, and beyond where the clock had come. */
  readonly gap: number;
  /** Where the network had been read to when the book was restored. */
  readonly height: number;
}

/** A stretch of indexes; `end` is one more than the last. */
export interface Stretch {
  readonly first: number;
  readonly end: number;
}

/** Which indexes are watched. Throws `ChainUnavailable`. */
export async function findGap(em: EntityManager, { adapter, gap, height }: GapOptions): Promise<Stretch[]> {
  const { network, account } = adapter;
  const head = await adapter.headAt(height);
  const writtenAfter = head && new Date(head.time.getTime() - AHEAD_MS);
  const { first, clock } = await readGapBounds(em, account, { network, height, writtenAfter });
  const beyond: Stretch = { first, end: first + gap };
  const byClock: Stretch = { first: Math.max(clock.first, beyond.end), end: clock.end + gap };
  const isShort = byClock.end > byClock.first && byClock.end - byClock.first <= MOST_BY_CLOCK;
  return gap > 0 && isShort ? [beyond, byClock] : [beyond];
}

/** Watches them from now on. */
export async function watchGap(
  deps: Pick<Deps, 'db'>,
  options: GapOptions,
  stretches: readonly Stretch[],
): Promise<void> {
  const { em } = deps.db;
  const { account } = options.adapter;
  const keyAt = await createKeys(em, options);
  const add = (addresses: readonly GapAddress[]) => inTransaction(deps, (its) => addGap(its, account, addresses));
  await add(await readUntaken(em, account));
  for (const { first, end } of stretches)
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
