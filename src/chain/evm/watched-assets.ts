// The assets that an EVM adapter looks for in blocks: the coin and the configured token contracts.

import { findAsset, type Network } from '../../values/assets.ts';
import { parseEvmAddress } from './address.ts';

export interface WatchedAssets {
  /** The coin's currency code; null if coin payments are not accepted. */
  readonly coin: string | null;
  /** Lower-case contract address → currency code. */
  readonly tokens: ReadonlyMap<string, string>;
}

/** Checks the configured contracts and writes their addresses with a checksum. Throws if one is invalid. */
export function readContracts(
  network: Network,
  given: ReadonlyMap<string, string | null>,
): ReadonlyMap<string, string | null> {
  const contracts = new Map<string, string | null>();
  for (const [currency, text] of given) {
    const asset = findAsset(currency, network);
    if (!asset) throw new Error(`There is no ${currency} on ${network}`);
    if (asset.isCoin !== (text === null))
      throw new Error(`${currency} on ${network}: a token has a contract, the coin none`);
    const contract = text === null ? null : parseEvmAddress(text);
    if (text !== null && !contract) throw new Error(`The contract of ${currency} on ${network} is no address: ${text}`);
    contracts.set(asset.currency, contract?.address ?? null);
  }
  return contracts;
}

export function watchedAssets(network: Network, contracts: ReadonlyMap<string, string | null>): WatchedAssets {
  const tokens = new Map<string, string>();
  let coin: string | null = null;
  for (const [currency, contract] of contracts) {
    if (contract === null) coin = currency;
    else if (tokens.has(contract.toLowerCase()))
      throw new Error(`Two currencies share the contract ${contract} on ${network}`);
    else tokens.set(contract.toLowerCase(), currency);
  }
  return { coin, tokens };
}
