// Reads the nodes of a network, each with its own credentials: one host's secret is never sent to another.

import { NETWORKS, type Network } from '../values/assets.ts';
import { isHttpUrl, type Reader } from './reader.ts';

/** How to reach one node. */
export interface NodePlace {
  /** May contain credentials; never logged. */
  readonly url: string;
  /** The cookie file of a BTC or LTC node; null: credentials are in the URL, or there are none. */
  readonly cookiePath: string | null;
  /** TronGrid's key; null if the node needs none, and on other networks. */
  readonly apiKey: string | null;
  /** Where a TRON node serves `/walletsolidity`; null: at the same URL. */
  readonly finalUrl: string | null;
}

/** Placeholder in per-node lists for a node without a value. */
const NONE = 'none';

/**
 * `<NETWORK>_RPC_URL`, and in the same order `<NETWORK>_COOKIE_PATH`, `TRON_API_KEY` and `TRON_SOLIDITY_URL`; then
 * `<NETWORK>_ESPLORA_URL`, instead of nodes or in addition.
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

/** Requires one entry per node: a shared one would send the secret of one host to the others. */
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
