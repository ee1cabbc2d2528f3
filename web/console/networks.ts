// The names of networks, and whether this is the sandbox.

const NAMES: Readonly<Record<string, string>> = {
  BTC: 'Bitcoin',
  LTC: 'Litecoin',
  ETH: 'Ethereum',
  BSC: 'BNB Smart Chain',
  POLYGON: 'Polygon',
  ARBITRUM: 'Arbitrum One',
  OPTIMISM: 'OP Mainnet',
  BASE: 'Base',
  AVALANCHE: 'Avalanche C-Chain',
  TRON: 'TRON',
  SOL: 'Solana',
};

/** A network's name; its code where it is one that this console does not know yet. */
export const networkName = (code: string): string => NAMES[code] ?? code;

/** The gateway writes into the page which of the two it is. */
export const isSandbox: boolean =
  document.querySelector('meta[name="turnpike-environment"]')?.getAttribute('content') === 'sandbox';
