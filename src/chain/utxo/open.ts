// Opens the adapter of a UTXO network from its settings.

import type { Network } from '../../values/assets.ts';
import type { NodeSettings, OpenAdapter } from '../settings.ts';
import { createUtxoAdapter } from './adapter.ts';
import { accountPathOf, type AddressType } from './derive.ts';
import { CHAIN_NAMES, type ChainName } from './params.ts';

const TIMEOUT_MS = 20_000;
/** The URL prefix that marks an Esplora server instead of a node. */
export const ESPLORA = 'esplora+';

type ChainOfNode = Pick<NodeSettings, 'chainName' | 'taproot'>;

export const openUtxoAdapter: OpenAdapter = (network, node, { minesOnDemand = false, log } = {}) => {
  const isEsplora = node.url.startsWith(ESPLORA);
  return createUtxoAdapter({
    ...{ network, minesOnDemand, chain: chainNameOf(node), addressType: addressTypeOf(node), timeoutMs: TIMEOUT_MS },
    kind: isEsplora ? 'ESPLORA' : 'CORE',
    url: isEsplora ? node.url.slice(ESPLORA.length) : node.url,
    ...(node.cookiePath == null ? {} : { cookiePath: node.cookiePath }),
    ...(node.maxFeeRate == null ? {} : { maxFeeRate: node.maxFeeRate }),
    ...(log ? { log } : {}),
  });
};

/** The derivation path of the network's account. */
export function utxoAccountPath(network: Network, node: ChainOfNode): string {
  return accountPathOf(network, chainNameOf(node), addressTypeOf(node));
}

function chainNameOf({ chainName }: ChainOfNode): ChainName {
  const name = CHAIN_NAMES.find((candidate) => candidate === (chainName ?? 'main'));
  if (!name) throw new Error(`There is no chain called ${String(chainName)}`);
  return name;
}

function addressTypeOf({ taproot }: ChainOfNode): AddressType {
  return taproot === true ? 'P2TR' : 'P2WPKH';
}
