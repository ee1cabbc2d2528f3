// What TRON charges. A transaction takes bandwidth by its size, and energy by what its contract computes; an account
// that has staked for neither burns TRX. What an account has of its own (600 bytes a day are free) is never counted on.

import type { Network } from '../../values/assets.ts';
import { PriceTooHigh } from '../errors.ts';
import type { TronNode } from './node.ts';
import { fieldsOf, integerOf, listOf } from './rpc-types.ts';

/** FeeRates in sun, the coin's base unit. */
export interface FeeRates {
  /** Of a byte of bandwidth. */
  readonly bandwidth: bigint;
  /** Of a unit of energy. */
  readonly energy: bigint;
  /** Of the first payment to an address that is no account yet, in place of its bandwidth. */
  readonly activation: bigint;
}

/** Ten times what they were in years. */
const MOST = { bandwidth: 10_000n, energy: 4_200n };

/** Reads the parameters that the network's witnesses vote on. Throws `PriceTooHigh` above what any node may tell us. */
export async function readFeeRates(node: TronNode, network: Network): Promise<FeeRates> {
  const answer = await node.ask('getchainparameters');
  const parameters = new Map(
    listOf(answer.chainParameter, 'chain parameters')
      .map((entry) => fieldsOf(entry, 'chain parameter'))
      .map(({ key, value }) => [key, value]),
  );
  const price = (name: string): bigint => {
    // A parameter that is zero comes without a value.
    if (!parameters.has(name)) node.fail(`the node does not say ${name}`);
    return BigInt(integerOf(parameters.get(name) ?? 0, name));
  };
  const [bandwidth, energy] = [price('getTransactionFee'), price('getEnergyFee')];
  if (bandwidth > MOST.bandwidth || energy > MOST.energy)
    throw new PriceTooHigh(network, 'bandwidth or energy costs more than the limit');
  return {
    ...{ bandwidth, energy },
    activation: price('getCreateNewAccountFeeInSystemContract') + price('getCreateAccountFee'),
  };
}
