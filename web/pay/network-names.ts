// The name of a payment's network on the page, and whether it could be mistaken for another.

import { ASSETS, findAsset, parseNetwork, tokenStandardOf } from '../../src/values/assets.ts';
import type { Checkout } from './checkout.ts';

type Place = Pick<Checkout, 'currency' | 'network' | 'networkName'>;

/** "Ethereum (ETH)"; the code once only where it is the name. */
export function networkOf({ network, networkName }: Place): string {
  return networkName.toUpperCase() === network ? networkName : `${networkName} (${network})`;
}

/**
 * What the customer looks for in the list of their wallet or exchange, "TRON (TRC20)", where their currency is on other
 * networks too and they have to choose; null where there is nothing to choose.
 */
export function choiceOf(place: Place): string | null {
  const { currency, networkName } = place;
  const network = parseNetwork(place.network);
  if (network === null || ASSETS.filter((asset) => asset.currency === currency).length < 2) return null;
  const standard = findAsset(currency, network)?.isCoin === false ? tokenStandardOf(network) : null;
  return standard === null ? networkOf(place) : `${networkName} (${standard})`;
}
