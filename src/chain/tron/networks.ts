// TRON's main network, the default where no other is configured.

/**
 * The last four bytes of the first block's id, as `eth_chainId` answers them (TIP-474). The test networks Shasta and Nile
 * have 2494104990 and 3448148188.
 */
export const MAINNET_CHAIN_ID = 728_126_428;

/**
 * Contracts on the main network, as their issuers publish them: https://tether.to/supported-protocols, and Circle for
 * USDC, which mints no more of it on TRON since February 2024; what is there still moves.
 */
export const MAINNET_CONTRACTS: ReadonlyMap<string, string> = new Map([
  ['USDT', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'],
  ['USDC', 'TEkxiTehnzSmSe2XqrBj4w32RUN966rdz8'],
]);
