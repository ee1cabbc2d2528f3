// The nodes of a network, each with what it alone is told: a secret of one host is never shown to another.

import { NETWORKS, type Network } from '../values/assets.ts';
import { isHttpUrl, type Reader } from './reader.ts';

/** How to reach one node. */
export interface NodePlace {
  /** It may hold credentials, and is never logged. */
  readonly url: string;
  /** The file in which a node of BTC or LTC keeps its credentials; null: they are in the URL, or there are none. */
  readonly cookiePath: string | null;
  /** TronGrid's key; null where the node wants none, and on other networks. */
  readonly apiKey: string | null;
  /** Where a TRON node serves `/walletsolidity`; null: where it serves the rest. */
  readonly finalUrl: string | null;
}

/** In a list that has an entry for each node: this one has none. */
const NONE = 'none';

/**
 * `<NETWORK>_RPC_URL`, and in the same order `<NETWORK>_COOKIE_PATH`, `TRON_API_KEY` and `TRON_SOLIDITY_URL`; then
 * `<NETWORK>_ESPLORA_URL`, in place of nodes or beside them.
 */
export function readNodes(read: Reader, network: Network): NodePlace[] {
  const { kind } = NETWORKS[network];
  const urls = readUrls(read, `${network}_RPC_URL`);
  const each = (name: string, ofKind: typeof kind) => (kind === ofKind ? readEach(read, network, name, urls) : []);
  const cookiePaths = each('COOKIE_PATH', 'utxo');
  const apiKeys = each('API_KEY', 'tron');
  const finalUrls = each('SOLIDITY_URL', 'tron');
  if (!finalUrls.every((url) => url === null || isHttpUrl(url)))
    read.fault(`${network}_SOLIDITY_URL`, `must be absolute http or https URLs or ${NONE}, comma-separated`);
  const nodes = urls.map((url, place) => ({
    url,
    cookiePath: cookiePaths[place] ?? null,
    apiKey: apiKeys[place] ?? null,
    finalUrl: finalUrls[place] ?? null,
  }));
  return [...nodes, ...readEsplora(read, network)];
}

function readUrls(read: Reader, name: string): string[] {
  const urls = read.list(name);
  if (!urls.every(isHttpUrl)) read.fault(name, 'must be absolute http or https URLs, comma-separated');
  return urls;
}

function readEsplora(read: Reader, network: Network): NodePlace[] {
  if (NETWORKS[network].kind !== 'utxo') return [];
  const nothing = { cookiePath: null, apiKey: null, finalUrl: null };
  return readUrls(read, `${network}_ESPLORA_URL`).map((url) => ({ url: `esplora+${url}`, ...nothing }));
}

/** One for all would hand the secret of one host to the others, so that as many are asked for as there are nodes. */
function readEach(read: Reader, network: Network, name: string, urls: readonly string[]): (string | null)[] {
  const entries = read.list(`${network}_${name}`);
  if (entries.length === 0 || urls.length === 0) return [];
  if (entries.length !== urls.length)
    read.fault(
      `${network}_${name}`,
      `must have an entry for each URL of ${network}_RPC_URL, in that order; ${NONE} where a node has none`,
    );
  return entries.map((entry) => (entry.toLowerCase() === NONE ? null : entry));
}
