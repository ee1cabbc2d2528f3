// The assets that are out of service, as this process knows them: read again and again, so that creating an order asks
// no database for it. What moves money asks the row itself.

import type { Database } from '../../database/connection.ts';
import type { Asset } from '../../values/assets.ts';
import { readAssetsOff, type AssetOff } from './asset-service.ts';

export interface AssetsOff {
  /** Whether an asset is out of service, as of the last look. */
  isOff(asset: Pick<Asset, 'currency' | 'network'>): boolean;
  /** All of them, as of the last look. */
  all(): readonly AssetOff[];
  look(): Promise<void>;
}

/** Makes it; it knows of none until it has looked once. */
export function createAssetsOff({ em }: Pick<Database, 'em'>): AssetsOff {
  let known: ReadonlyMap<string, AssetOff> = new Map();
  const nameOf = ({ currency, network }: { currency: string; network: string }) => `${currency}/${network}`;
  return {
    isOff: (asset) => known.has(nameOf(asset)),
    all: () => [...known.values()],
    look: async () => {
      known = new Map((await readAssetsOff(em)).map((asset) => [nameOf(asset), asset]));
    },
  };
}
