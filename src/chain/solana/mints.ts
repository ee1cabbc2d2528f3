// The mints of the configured tokens, and their programs and decimals, which are read from the node once and cached.

import { findAsset, NETWORKS, type Network } from '../../values/assets.ts';
import { isAccount } from './address.ts';
import { readMint, type Mint } from './accounts.ts';
import type { SolanaNode } from './node.ts';

export interface Mints {
  /** The mint's address; null for the coin. Throws if the currency is not accepted. */
  contractOf(currency: string): string | null;
  /** Reads a token's mint, from the cache unless `fresh`. */
  read(currency: string, fresh?: 'fresh'): Promise<Mint>;
}

export function createMints(node: SolanaNode, network: Network, contracts: ReadonlyMap<string, string | null>): Mints {
  const cached = new Map<string, Mint>();

  const contractOf = (currency: string): string | null => {
    const contract = contracts.get(currency);
    if (contract === undefined) throw new Error(`${currency} is not taken on ${network}`);
    return contract;
  };

  return {
    contractOf,
    read: async (currency, fresh) => {
      const contract = contractOf(currency) ?? '';
      const mint = (fresh ? null : cached.get(currency)) ?? (await readMint(node, contract));
      if (!mint) return node.fail(`there is no token at ${contract} (${currency})`);
      cached.set(currency, mint);
      return mint;
    },
  };
}

/** Checks the configured contracts. Throws if one is invalid. */
export function readContracts(network: Network, given: ReadonlyMap<string, string | null>) {
  const contracts = new Map<string, string | null>();
  for (const [currency, text] of given) {
    const asset = findAsset(currency, network);
    if (!asset) throw new Error(`There is no ${currency} on ${network}`);
    if (asset.isCoin !== (text === null))
      throw new Error(`${currency} on ${network}: a token has a contract, the coin none`);
    if (text !== null && !isAccount(text))
      throw new Error(`The contract of ${currency} on ${network} is no address: ${text}`);
    if (text !== null && [...contracts.values()].includes(text))
      throw new Error(`Two currencies share the contract ${text} on ${network}`);
    contracts.set(asset.currency, text);
  }
  return contracts;
}

/** The assets to look for in blocks. */
export function watchedAssets(network: Network, contracts: ReadonlyMap<string, string | null>) {
  const { coin } = NETWORKS[network];
  const tokens = [...contracts].flatMap(([currency, mint]) => (mint === null ? [] : [[mint, currency] as const]));
  return { coin: contracts.has(coin) ? coin : null, tokens: new Map(tokens) };
}
