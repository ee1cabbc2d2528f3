// Fresh deposit addresses: one derivation index each, never reused. Indexes are taken from the database in ranges, so
// that processes share an account without meeting; those of a range that a process did not use are left out for good.

import { query } from '../database/connection.ts';
import { takeAddresses } from '../database/queries/address-pool.ts';
import type { ParsedAddress } from '../chain/adapter.ts';
import { createDerivationThread } from '../chain/derivation-thread.ts';
import { GatewayError } from '../values/errors.ts';
import type { Chain, Deps } from './deps.ts';

export interface FreshAddress extends ParsedAddress {
  readonly account: string;
  readonly index: number;
}

export type TakeAddress = (chain: Chain) => Promise<FreshAddress>;

interface Range {
  readonly xpub: string;
  readonly first: number;
  readonly end: number;
  next: number;
  /** Derived ahead, by index less `first`; what is not there is derived when it is needed. */
  readonly derived: (ParsedAddress | undefined)[];
}

/** The ranges that a process holds of one account, in the order of their use: at most two. */
interface Account {
  readonly ranges: Range[];
  loading: Promise<void> | null;
}

const RANGE = 256;
/** The next range is taken, and derived ahead, when so few are left: a process that makes few payments never does. */
const LOW = RANGE / 2;
const TAKE_RANGE =
  'update derivation_account set next_index = next_index + $2 where account = $1 returning xpub, next_index::text as end';

/** Makes the source of fresh addresses of this process. */
export function createAddressSource(deps: Pick<Deps, 'db'>): TakeAddress {
  const [derive, takeFromPool] = [createDerivingSource(deps), createPoolSource(deps)];
  return (chain) => (chain.adapter.addresses === 'POOLED' ? takeFromPool(chain) : derive(chain));
}

/** Addresses that a process takes from the pool at a time; those that it does not issue are left out for good. */
const TAKEN_AT_ONCE = 8;

/** Addresses that the signer made ahead, where only it can make them. */
function createPoolSource(deps: Pick<Deps, 'db'>): TakeAddress {
  const accounts = new Map<string, { ready: FreshAddress[]; loading: Promise<void> | null }>();

  async function load(account: string): Promise<FreshAddress[]> {
    const taken = await takeAddresses(deps.db.em, account, TAKEN_AT_ONCE);
    // 3007: a signer that runs fills the pool within seconds.
    if (taken.length === 0)
      throw new GatewayError('NETWORK_UNAVAILABLE', {
        message: 'There is no fresh address on this network at the moment: its signer has to make them',
      });
    return taken.map((address) => ({ ...address, account }));
  }

  return async ({ account: name }) => {
    const account = accounts.get(name) ?? { ready: [], loading: null };
    accounts.set(name, account);
    for (;;) {
      const address = account.ready.shift();
      if (address) return address;
      account.loading ??= load(name)
        .then((taken) => void account.ready.push(...taken))
        .finally(() => (account.loading = null));
      await account.loading;
    }
  };
}

function createDerivingSource(deps: Pick<Deps, 'db'>): TakeAddress {
  const accounts = new Map<string, Account>();
  const deriveAhead = createDerivationThread();

  async function load(name: string): Promise<Range> {
    const [row] = await query<{ xpub: string; end: string }>(deps.db.em, TAKE_RANGE, [name, RANGE]);
    if (!row) throw new Error(`The account ${name} has no extended public key`);
    const end = Number(row.end);
    return { xpub: row.xpub, first: end - RANGE, end, next: end - RANGE, derived: [] };
  }

  /** Adds a range; several callers share one. */
  function extend(name: string, account: Account): Promise<void> {
    const isNeededNow = account.ranges.length === 0;
    account.loading ??= load(name)
      .then((range) => {
        account.ranges.push(range);
        if (isNeededNow) return;
        deriveAhead({ account: name, xpub: range.xpub, first: range.first, count: RANGE }, (first, addresses) => {
          for (const [offset, address] of addresses.entries()) range.derived[first - range.first + offset] = address;
        });
      })
      .finally(() => (account.loading = null));
    return account.loading;
  }

  return async (chain) => {
    const { account: name } = chain;
    const account = accounts.get(name) ?? { ranges: [], loading: null };
    accounts.set(name, account);
    for (;;) {
      const [range] = account.ranges;
      if (!range) {
        await extend(name, account);
        continue;
      }
      const index = range.next++;
      if (range.next === range.end) account.ranges.shift();
      // Whoever finds no range at all meets the error, if there still is one.
      else if (account.ranges.length === 1 && range.end - range.next <= LOW)
        extend(name, account).catch(() => undefined);
      const derived = range.derived[index - range.first] ?? chain.adapter.derive(range.xpub, index);
      return { ...derived, account: name, index };
    }
  };
}
