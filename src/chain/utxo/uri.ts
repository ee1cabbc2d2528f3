// Writes payment URIs for Bitcoin and its relatives (BIP-21).

import { withoutTrailing } from '../../values/formats/text.ts';

const UNITS_PER_COIN = 100_000_000n;

/** E.g. `bitcoin:bc1…?amount=0.015`: the amount in whole coins, without trailing zeros. */
export function bip21Uri({ scheme, address, amount }: { scheme: string; address: string; amount: bigint }): string {
  const fraction = withoutTrailing((amount % UNITS_PER_COIN).toString().padStart(8, '0'), '0');
  return `${scheme}:${address}?amount=${String(amount / UNITS_PER_COIN)}${fraction === '' ? '' : `.${fraction}`}`;
}
