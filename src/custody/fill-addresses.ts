// Makes addresses ahead, for accounts that have no public derivation: only the signer can make them, and whoever creates
// payments takes them from the pool.

import type { AccountSender, ChainReader } from '../chain/adapter.ts';
import { addAddresses, countFree, findLastAddress, type PooledAddress } from '../database/queries/address-pool.ts';
import type { Deps } from '../domain/deps.ts';
import type { Worker } from '../loop.ts';
import { pooledPaths } from './account-keys.ts';
import type { Signer } from './signer.ts';

export interface FillerOptions {
  readonly adapter: Pick<ChainReader, 'account'> & Pick<AccountSender, 'addressOf' | 'curve'>;
  readonly signer: Signer;
  /** Kept ready: what is created while no signer runs. */
  readonly ahead?: number;
}

const AHEAD = 500;
/** Made at once. */
const BATCH = 100;

/** Makes the filler of an account's pool. Several may fill one at the same time. */
export function createAddressFiller(deps: Pick<Deps, 'db'>, options: FillerOptions): Worker {
  const { adapter, signer, ahead = AHEAD } = options;
  const { account } = adapter;
  const paths = pooledPaths(account);
  const make = async (index: number): Promise<PooledAddress> => ({
    ...adapter.addressOf(await signer.publicKey(paths.deposit(index), adapter.curve)),
    index,
  });
  return {
    name: `fill-addresses ${account}`,
    processNext: async () => {
      const { em } = deps.db;
      const missing = ahead - (await countFree(em, account, ahead));
      if (missing <= 0) return false;
      const last = await findLastAddress(em, account);
      // Money on addresses of another seed could be paid out by neither.
      if (last && (await make(last.index)).key !== last.key)
        throw new Error(`The addresses of ${account} were made with another seed than this signer's`);
      const first = last ? last.index + 1 : 0;
      const indexes = Array.from({ length: Math.min(BATCH, missing) }, (_, position) => first + position);
      await addAddresses(em, account, await Promise.all(indexes.map(make)));
      return true;
    },
  };
}
