// Fresh deposit addresses: one derivation index each, never reused. Indexes are taken from the database in ranges, so
// that processes share an account without meeting; those of a range that a process did not use are left out for good.

import { query } from '../database/connection.ts';
import type { ParsedAddress } from '../chain/adapter.ts';
import type { Chain, Deps } from './deps.ts';

export interface FreshAddress extends ParsedAddress {
  readonly account: string;
  readonly index: number;
}

export type TakeAddress = (chain: Chain) => Promise<FreshAddress>;

interface Range {
  readonly xpub: string;
  next: number;
  end: number;
}

const RANGE = 256;
const TAKE_RANGE =
  'update derivation_account set next_index = next_index + $2 where account = $1 returning xpub, next_index::text as end';

/** Makes the source of fresh addresses of this process. */
export function createAddressSource(deps: Pick<Deps, 'db'>): TakeAddress {
  const ranges = new Map<string, Range>();
  const loading = new Map<string, Promise<void>>();

  async function load(account: string): Promise<void> {
    const [row] = await query<{ xpub: string; end: string }>(deps.db.em, TAKE_RANGE, [account, RANGE]);
    if (!row) throw new Error(`The account ${account} has no extended public key`);
    const end = Number(row.end);
    ranges.set(account, { xpub: row.xpub, next: end - RANGE, end });
  }

  return async (chain) => {
    const { account } = chain;
    for (;;) {
      const range = ranges.get(account);
      if (range && range.next < range.end) {
        const index = range.next++;
        return { ...chain.adapter.derive(range.xpub, index), account, index };
      }
      const pending = loading.get(account) ?? load(account).finally(() => loading.delete(account));
      loading.set(account, pending);
      await pending;
    }
  };
}
