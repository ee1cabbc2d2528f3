// Links that open a payment in a wallet on a phone: those that a wallet documents for the network, and the payment URI
// for all others.

import { findAsset, NETWORKS, parseNetwork, type Network } from '../../../src/values/assets.ts';
import type { Payable } from '../checkout.ts';

/** A wallet, by the name that people know it by, and where its link leads. */
export interface WalletLink {
  readonly name: string;
  readonly href: string;
}

/**
 * The number of a network in Trust Wallet's asset ids ("c60_t0x…"), as its list of coins has it: a coin's number of
 * SLIP-44 where it has one.
 */
const TRUST_COINS: Readonly<Record<Network, number>> = {
  ...{ BTC: 0, LTC: 2, ETH: 60, BSC: 20000714, POLYGON: 966, ARBITRUM: 10042221, OPTIMISM: 10000070 },
  ...{ BASE: 8453, AVALANCHE: 10009000, TRON: 195, SOL: 501 },
};

/**
 * The wallets that can be opened with everything filled in. None where coins are no real money: their links name main
 * networks, or mean them.
 */
export function walletLinksOf(checkout: Payable): readonly WalletLink[] {
  const network = parseNetwork(checkout.network);
  if (!checkout.isMainNetwork || network === null) return [];
  const { currency, tokenContract, paymentUri, address, amountDue } = checkout;
  // A token that this deployment no longer takes has no contract, and must not be taken for the coin.
  if (tokenContract === null && findAsset(currency, network)?.isCoin !== true) return [];
  const asset = `c${TRUST_COINS[network]}${tokenContract === null ? '' : `_t${tokenContract}`}`;
  const query = new URLSearchParams({ asset, address, amount: amountDue }).toString();
  const trust = { name: 'Trust Wallet', href: `https://link.trustwallet.com/send?${query}` };
  // What follows the scheme of EIP-681 is what MetaMask's links take.
  const transfer = /^ethereum:(0x[\w@/?=&]+)$/.exec(paymentUri)?.[1];
  if (NETWORKS[network].kind !== 'evm' || transfer === undefined) return [trust];
  return [{ name: 'MetaMask', href: `https://link.metamask.io/send/${transfer}` }, trust];
}
