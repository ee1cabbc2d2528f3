// What a transfer costs its sender on each network, in three classes: enough to choose by, and true for years.

/** 1: cents or less. 2: usually below a dollar or two. 3: can be several dollars when the network is busy. */
const CLASSES: Readonly<Record<string, 1 | 2 | 3>> = {
  ...{ SOL: 1, BSC: 1, POLYGON: 1, ARBITRUM: 1, OPTIMISM: 1, BASE: 1, AVALANCHE: 1, LTC: 1 },
  ...{ TRON: 2, BTC: 2, ETH: 3 },
};

/** The class of a network's fees; that of the dearest if it is not known. */
export const feeClassOf = (network: string): 1 | 2 | 3 => CLASSES[network] ?? 3;
