// The tokens that are taken: which mint each has, and, read once of the node, the program that it belongs to.

import { findAsset, NETWORKS, type Network } from '../../values/assets.ts';
import { isAccount } from './address.ts';
import { readMint, type Mint } from './accounts.ts';
import type { SolanaNode } from './node.ts';

export interface Mints {
  /** The mint of a currency, null for the coin. Throws for one that is not taken. */
  contractOf(currency: string): string | null;
  /** Reads a token's mint, once; anew where that is asked for. */
  read(currency: string, anew?: 'anew'): Promise<Mint>;
}

export function createMints(node: SolanaNode, network: Network, contracts: ReadonlyMap<string, string | null>): Mints {
  const known = new Map<string, Mint>();

  const contractOf = (currency: string): string | null => {
    const contract = contracts.get(currency);
    if (contract === undefined) throw new Error(`${currency} is not taken on ${network}`);
    return contract;
  };

  return {
    contractOf,
    read: async (currency, anew) => {
      const contract = contractOf(currency) ?? '';
      const mint = (anew ? null : known.get(currency)) ?? (await readMint(node, contract));
      if (!mint) return node.fail(`there is no token at ${contract} (${currency})`);
      known.set(currency, mint);
      return mint;
    },
  };
}

/** Checks what configuration names. */
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

/** What to look for in blocks. */
export function watchedAssets(network: Network, contracts: ReadonlyMap<string, string | null>) {
  const { coin } = NETWORKS[network];
  const tokens = [...contracts].flatMap(([currency, mint]) => (mint === null ? [] : [[mint, currency] as const]));
  return { coin: contracts.has(coin) ? coin : null, tokens: new Map(tokens) };
}
