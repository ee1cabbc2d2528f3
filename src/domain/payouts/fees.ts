// What a payout is charged on top of its amount: the flat fee of its asset, and where its recipient has no account for
// the token yet, what opening one costs.

import { ChainUnavailable } from '../../chain/errors.ts';
import { GatewayError } from '../../values/errors.ts';
import type { Chain } from '../deps.ts';

/** Base units of the payout's currency. */
export interface PayoutFee {
  readonly networkFee: bigint;
  /** It covers an account that is opened for the recipient. */
  readonly opensAccount: boolean;
}

/**
 * Reads the fee of a payout to an address; the node is asked only where it makes a difference. Throws 3007 without an
 * answer.
 */
export async function readPayoutFee(
  { adapter, networkFees, newAccountFees }: Chain,
  currency: string,
  address: string,
): Promise<PayoutFee> {
  const flat = networkFees.get(currency) ?? 0n;
  const forAccount = newAccountFees?.get(currency) ?? 0n;
  if (forAccount === 0n || !adapter.hasAccount) return { networkFee: flat, opensAccount: false };
  try {
    const opensAccount = !(await adapter.hasAccount(address, currency));
    return { networkFee: opensAccount ? flat + forAccount : flat, opensAccount };
  } catch (error) {
    if (!(error instanceof ChainUnavailable)) throw error;
    throw new GatewayError('NETWORK_UNAVAILABLE', { cause: error });
  }
}
