// The adapter of one of Bitcoin's relatives from its configuration.

import type { Network } from '../../values/assets.ts';
import type { NodeSettings, OpenAdapter } from '../open-adapter.ts';
import { createUtxoAdapter } from './adapter.ts';
import { accountPathOf, type AddressType } from './derive.ts';
import { CHAIN_NAMES, type ChainName } from './params.ts';

const TIMEOUT_MS = 20_000;
/** Before a URL: an Esplora server rather than a node. */
export const ESPLORA = 'esplora+';

export const openUtxoAdapter: OpenAdapter = (network, node, { minesOnDemand = false, log } = {}) => {
  const [rpcUrl] = node.rpcUrls;
  if (rpcUrl === undefined) throw new Error(`${network} has no node`);
  const isEsplora = rpcUrl.startsWith(ESPLORA);
  return createUtxoAdapter({
    ...{ network, minesOnDemand, chain: chainNameOf(node), addressType: addressTypeOf(node), timeoutMs: TIMEOUT_MS },
    kind: isEsplora ? 'ESPLORA' : 'CORE',
    url: isEsplora ? rpcUrl.slice(ESPLORA.length) : rpcUrl,
    ...(node.cookiePath == null ? {} : { cookiePath: node.cookiePath }),
    ...(node.maxFeeRate == null ? {} : { maxFeeRate: node.maxFeeRate }),
    ...(log ? { log } : {}),
  });
};

/** Where the keys of a network's account are. */
export function utxoAccountPath(network: Network, node: NodeSettings): string {
  return accountPathOf(network, chainNameOf(node), addressTypeOf(node));
}

function chainNameOf({ chainName }: NodeSettings): ChainName {
  const name = CHAIN_NAMES.find((candidate) => candidate === (chainName ?? 'main'));
  if (!name) throw new Error(`There is no chain called ${String(chainName)}`);
  return name;
}

function addressTypeOf({ taproot }: NodeSettings): AddressType {
  return taproot === true ? 'P2TR' : 'P2WPKH';
}
