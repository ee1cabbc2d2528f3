// Fresh deposit addresses: one derivation index each, never reused. Processes take indexes from the database in ranges,
// so they never collide; unused indexes of a range are skipped for good. An address is valid only for the copy of the
// database, and the run of its server, that gave it out; otherwise it is stale.

import { takeAddresses } from '../../database/queries/chain/address-pool.ts';
import {
  countAddresses,
  MOST_ADDRESSES,
  takeRange,
  type GivenUnder,
} from '../../database/queries/chain/address-ranges.ts';
import type { ParsedAddress } from '../../chain/adapter.ts';
import { createDerivationThread } from '../../chain/derivation-thread.ts';
import { GatewayError } from '../../values/errors.ts';
import { isClusterRecorded, recordCluster } from '../witness/cluster.ts';
import type { Chain, Deps } from '../deps.ts';
import { createDemand } from './demand.ts';

export interface FreshAddress extends ParsedAddress {
  readonly account: string;
  readonly index: number;
  readonly given: GivenUnder;
}

/**
 * Takes an address for good. `insteadOf` is one that turned out to be stale: everything given out with it is dropped as
 * well. Errors: 3007 if there is none.
 */
export type TakeAddress = (chain: Chain, insteadOf?: FreshAddress) => Promise<FreshAddress>;

type SourceDeps = Pick<Deps, 'db' | 'log'>;

interface Range {
  readonly given: GivenUnder;
  readonly xpub: string;
  readonly first: number;
  readonly end: number;
  next: number;
  /** Derived ahead, by index minus `first`; missing ones are derived when needed. */
  readonly derived: (ParsedAddress | undefined)[];
}

/** The ranges of one account that a process holds, in order of use: at most two. */
interface Account {
  ranges: Range[];
  loading: Promise<void> | null;
  readonly demand: ReturnType<typeof createDemand>;
}

/** From this length on, the next range is taken, and derived ahead, when half of a range is left. */
const AHEAD_FROM = 16;
const LONGEST_RANGE = 256;
/** The most addresses that a process takes from the pool at once. */
const MOST_FROM_POOL = 8;
/** The used share of an account from which a warning is logged. */
const NEARLY_USED_UP = 0.9;

/** Creates this process's source of fresh addresses. */
export function createAddressSource(deps: SourceDeps): TakeAddress {
  const [derive, takeFromPool] = [createDerivingSource(deps), createPoolSource(deps)];
  return (chain, insteadOf) =>
    chain.adapter.addresses === 'POOLED' ? takeFromPool(chain, insteadOf) : derive(chain, insteadOf);
}

const isSame = (one: GivenUnder, other: GivenUnder) => one.epoch === other.epoch && one.serverRun === other.serverRun;

/**
 * Takes something that exists only if the copy of the database is recorded; if it is not, records the copy and tries
 * again. Null if there is nothing to take.
 */
async function onKnownCopy<Taken>(deps: SourceDeps, take: () => Promise<Taken | null>): Promise<Taken | null> {
  for (;;) {
    const taken = await take();
    if (taken !== null || (await isClusterRecorded(deps.db.em))) return taken;
    await recordCluster(deps);
  }
}

/** Addresses that the signer made ahead, for networks where only the signer can make them. */
function createPoolSource(deps: SourceDeps): TakeAddress {
  const { em } = deps.db;
  const accounts = new Map<string, Omit<Account, 'ranges'> & { ready: FreshAddress[] }>();

  async function load(account: string, count: number): Promise<FreshAddress[]> {
    const taken = await onKnownCopy(deps, async () => {
      const some = await takeAddresses(em, account, count);
      return some.length === 0 ? null : some;
    });
    // 3007: a running signer fills the pool within seconds.
    if (taken === null)
      throw new GatewayError('NETWORK_UNAVAILABLE', {
        message: 'No fresh address is available on this network at the moment: its signer must make more',
      });
    return taken.map((address) => ({ ...address, account }));
  }

  return async ({ account: name }, insteadOf) => {
    const account = accounts.get(name) ?? { ready: [], loading: null, demand: createDemand(MOST_FROM_POOL) };
    accounts.set(name, account);
    if (insteadOf) account.ready = account.ready.filter(({ given }) => !isSame(given, insteadOf.given));
    for (;;) {
      const address = account.ready.shift();
      if (address) {
        account.demand.met();
        return address;
      }
      account.loading ??= load(name, account.demand.next())
        .then((taken) => void account.ready.push(...taken))
        .finally(() => (account.loading = null));
      await account.loading;
    }
  };
}

function createDerivingSource(deps: SourceDeps): TakeAddress {
  const accounts = new Map<string, Account>();
  const deriveAhead = createDerivationThread();
  const load = createRangeLoader(deps);

  /** Loads the next range; concurrent callers share one load. */
  function extend(name: string, account: Account): Promise<void> {
    const isNeededNow = account.ranges.length === 0;
    account.loading ??= load(name, account.demand.next())
      .then((range) => {
        account.ranges.push(range);
        const { xpub, first, end } = range;
        if (isNeededNow || end - first < AHEAD_FROM) return;
        deriveAhead({ account: name, xpub, first, count: end - first }, (from, addresses) => {
          for (const [offset, address] of addresses.entries()) range.derived[from - first + offset] = address;
        });
      })
      .finally(() => (account.loading = null));
    return account.loading;
  }

  return async (chain, insteadOf) => {
    const { account: name } = chain;
    const account = accounts.get(name) ?? { ranges: [], loading: null, demand: createDemand(LONGEST_RANGE) };
    accounts.set(name, account);
    if (insteadOf) account.ranges = account.ranges.filter(({ given }) => !isSame(given, insteadOf.given));
    for (;;) {
      const [range] = account.ranges;
      if (!range) {
        await extend(name, account);
        continue;
      }
      const index = range.next++;
      account.demand.met();
      if (range.next === range.end) account.ranges.shift();
      // An error here reaches the caller that finds no range left, if it still occurs then.
      else if (account.ranges.length === 1 && isHalfUsed(range)) extend(name, account).catch(() => undefined);
      const derived = range.derived[index - range.first] ?? chain.adapter.derive(range.xpub, index);
      return { ...derived, account: name, index, given: range.given };
    }
  };
}

const isHalfUsed = ({ first, next, end }: Range): boolean =>
  end - first >= AHEAD_FROM && end - next <= (end - first) / 2;

function createRangeLoader(deps: SourceDeps): (account: string, count: number) => Promise<Range> {
  const { em } = deps.db;
  const warned = new Set<string>();
  return async (account, count) => {
    const take = (most: number) => onKnownCopy(deps, () => takeRange(em, account, most));
    // The last indexes of an account are given out one by one.
    const range = (await take(count)) ?? (await take(1));
    if (range === null) throw await noRange(deps, account);
    if (range.end > NEARLY_USED_UP * MOST_ADDRESSES && !warned.has(account)) {
      warned.add(account);
      deps.log.warn({ account, used: range.end, of: MOST_ADDRESSES }, 'an account has nearly used up its addresses');
    }
    return { ...range, next: range.first, derived: [] };
  };
}

async function noRange({ db }: SourceDeps, account: string): Promise<Error> {
  if ((await countAddresses(db.em, account)) === null)
    return new Error(`The account ${account} has no extended public key`);
  return new GatewayError('NETWORK_UNAVAILABLE', {
    message: `No address is left on this network: its account, ${account}, has used up all of its indexes`,
  });
}
