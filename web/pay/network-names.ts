// How the payment page names a payment's network, and the name it shows where the customer has to choose a network.

import { ASSETS, findAsset, parseNetwork, tokenStandardOf } from '../../src/values/assets.ts';
import type { Checkout } from './checkout.ts';

type Place = Pick<Checkout, 'currency' | 'network' | 'networkName'>;

/** "Ethereum (ETH)"; only the name if it equals the code. */
export function networkOf({ network, networkName }: Place): string {
  return networkName.toUpperCase() === network ? networkName : `${networkName} (${network})`;
}

/**
 * The network's name as wallets and exchanges list it, "TRON (TRC20)", if the customer's currency exists on several
 * networks and they have to choose; null otherwise.
 */
export function choiceOf(place: Place): string | null {
  const { currency, networkName } = place;
  const network = parseNetwork(place.network);
  if (network === null || ASSETS.filter((asset) => asset.currency === currency).length < 2) return null;
  const standard = findAsset(currency, network)?.isCoin === false ? tokenStandardOf(network) : null;
  return standard === null ? networkOf(place) : `${networkName} (${standard})`;
}
