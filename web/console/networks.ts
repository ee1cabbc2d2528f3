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

/** A network's name, or its code if the console does not know the network yet. */
export const networkName = (code: string): string => NAMES[code] ?? code;

/** Whether this is the sandbox; the gateway writes its environment into the page. */
export const isSandbox: boolean =
  document.querySelector('meta[name="turnpike-environment"]')?.getAttribute('content') === 'sandbox';
