// Fills the pool of addresses made in advance, for accounts without public derivation: only the signer can make them,
// and new payments take them from the pool.

import type { AccountSender, ChainReader } from '../../chain/adapter.ts';
import {
  addAddresses,
  countFree,
  findLastAddress,
  renewPool,
  type PooledAddress,
} from '../../database/queries/chain/address-pool.ts';
import { MOST_ADDRESSES } from '../../database/queries/chain/address-ranges.ts';
import { recordCluster } from '../../domain/witness/cluster.ts';
import type { Deps } from '../../domain/deps.ts';
import type { Worker } from '../../loop.ts';
import { pooledPaths } from './account-keys.ts';
import type { Signer } from './signer.ts';

export interface AddressPoolFillerOptions {
  readonly adapter: Pick<ChainReader, 'account'> & Pick<AccountSender, 'addressOf' | 'curve'>;
  readonly signer: Signer;
  /** Addresses kept ready, for payments created while no signer runs. */
  readonly ahead?: number;
}

const AHEAD = 500;
/** Addresses per batch. */
const BATCH = 100;

/** Creates the filler of an account's pool. Several may fill one pool at the same time. */
export function createAddressPoolFiller(deps: Pick<Deps, 'db' | 'log'>, options: AddressPoolFillerOptions): Worker {
  const { adapter, signer, ahead = AHEAD } = options;
  const { account } = adapter;
  const paths = pooledPaths(account);
  const make = async (index: number): Promise<PooledAddress> => ({
    ...adapter.addressOf(await signer.publicKey(paths.deposit(index), adapter.curve)),
    index,
  });
  return {
    name: `fill-address-pool ${account}`,
    processNext: async () => {
      const { em } = deps.db;
      const end = await renewPool(em, account);
      if (end === null) {
        await recordCluster(deps);
        return true;
      }
      const missing = ahead - (await countFree(em, account, ahead));
      if (missing <= 0) return false;
      const last = await findLastAddress(em, account);
      // Neither signer could pay out money from the other seed's addresses.
      if (last && (await make(last.index)).key !== last.key)
        throw new Error(`The addresses of ${account} were made with another seed than this signer's`);
      const count = Math.min(BATCH, missing, MOST_ADDRESSES - end.next);
      if (count <= 0) throw new Error(`The account ${account} has used up all of its indexes`);
      const indexes = Array.from({ length: count }, (_, position) => end.next + position);
      await addAddresses(em, account, await Promise.all(indexes.map(make)), end);
      return true;
    },
  };
}
