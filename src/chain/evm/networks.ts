// The EVM networks as a table: what of each differs from the others and is no matter of its assets.

import type { Network } from '../../values/assets.ts';

/** How a network asks for its price of gas: a base fee and a tip (EIP-1559), or one price. */
export type FeeModel = 'EIP1559' | 'LEGACY';

export interface EvmNetwork {
  /** EIP-155, of the main network and of the test network that the sandbox stands for. */
  readonly chainId: number;
  readonly testChainId: number;
  readonly fees: FeeModel;
  /** Its transactions pay for their bytes on another chain, too: the stack whose contract tells how much. */
  readonly dataFee: 'OP_STACK' | null;
  /** Questions that public nodes of the network take at once. */
  readonly batchSize: number;
  /** In gwei: the most that our own transactions offer for gas, and of it for the block's producer, on the worst of days. */
  readonly maxGasPrice: number;
  readonly maxTip: number;
}

type Prices = Pick<EvmNetwork, 'maxGasPrice' | 'maxTip'>;

const row = (chainId: number, testChainId: number, rest: Prices & Partial<EvmNetwork>): EvmNetwork => ({
  ...{ chainId, testChainId, fees: 'EIP1559', dataFee: null, batchSize: 50 },
  ...rest,
});

/** Chain ids: chainid.network. The test networks: Sepolia and its like, Chapel, Amoy and Fuji. */
export const EVM_NETWORKS: Readonly<Partial<Record<Network, EvmNetwork>>> = {
  ETH: row(1, 11_155_111, { maxGasPrice: 1_000, maxTip: 20 }),
  // Its base fee is zero, and what counts is the one price of gas that its validators take.
  BSC: row(56, 97, { fees: 'LEGACY', maxGasPrice: 20, maxTip: 20 }),
  POLYGON: row(137, 80_002, { maxGasPrice: 5_000, maxTip: 500 }),
  ARBITRUM: row(42_161, 421_614, { maxGasPrice: 50, maxTip: 1 }),
  OPTIMISM: row(10, 11_155_420, { dataFee: 'OP_STACK', maxGasPrice: 20, maxTip: 1 }),
  BASE: row(8_453, 84_532, { dataFee: 'OP_STACK', maxGasPrice: 20, maxTip: 1 }),
  AVALANCHE: row(43_114, 43_113, { batchSize: 40, maxGasPrice: 500, maxTip: 20 }),
};

/** The row of an EVM network. Throws for any other. */
export function evmNetwork(network: Network): EvmNetwork {
  const found = EVM_NETWORKS[network];
  if (!found) throw new Error(`${network} is no EVM network`);
  return found;
}
