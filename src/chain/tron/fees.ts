// TRON's fee rates: bandwidth by a transaction's size, energy by what its contract computes. An account without staked
// resources burns TRX for both. Free resources (600 bytes of bandwidth a day) are never counted on.

import type { Network } from '../../values/assets.ts';
import { PriceTooHigh } from '../errors.ts';
import type { TronNode } from './node.ts';
import { fieldsOf, integerOf, listOf } from './rpc-types.ts';

/** FeeRates in sun, the coin's base unit. */
export interface FeeRates {
  /** Per byte of bandwidth. */
  readonly bandwidth: bigint;
  /** Per unit of energy. */
  readonly energy: bigint;
  /** Charged instead of bandwidth for the first coin payment to an address, which activates its account. */
  readonly activation: bigint;
}

/** Ten times the rates of recent years. */
const MAX = { bandwidth: 10_000n, energy: 4_200n };

/** Reads the rates, which the network's witnesses vote on. Throws `PriceTooHigh` above our limits. */
export async function readFeeRates(node: TronNode, network: Network): Promise<FeeRates> {
  const answer = await node.ask('getchainparameters');
  const parameters = new Map(
    listOf(answer.chainParameter, 'chain parameters')
      .map((entry) => fieldsOf(entry, 'chain parameter'))
      .map(({ key, value }) => [key, value]),
  );
  const price = (name: string): bigint => {
    // A parameter that is zero has no value.
    if (!parameters.has(name)) node.fail(`the node does not say ${name}`);
    return BigInt(integerOf(parameters.get(name) ?? 0, name));
  };
  const [bandwidth, energy] = [price('getTransactionFee'), price('getEnergyFee')];
  if (bandwidth > MAX.bandwidth || energy > MAX.energy)
    throw new PriceTooHigh(network, 'bandwidth or energy costs more than the limit');
  return {
    ...{ bandwidth, energy },
    activation: price('getCreateNewAccountFeeInSystemContract') + price('getCreateAccountFee'),
  };
}
