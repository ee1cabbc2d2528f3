// What the console says of networks: their names, and where the world can look a transaction up.

interface NetworkWords {
  readonly name: string;
  /** Where a transaction of the real network is shown; its hash is appended. */
  readonly explorer: string;
}

const NETWORKS: Readonly<Record<string, NetworkWords>> = {
  BTC: { name: 'Bitcoin', explorer: 'https://mempool.space/tx/' },
  LTC: { name: 'Litecoin', explorer: 'https://litecoinspace.org/tx/' },
  ETH: { name: 'Ethereum', explorer: 'https://etherscan.io/tx/' },
  BSC: { name: 'BNB Smart Chain', explorer: 'https://bscscan.com/tx/' },
  POLYGON: { name: 'Polygon', explorer: 'https://polygonscan.com/tx/' },
  ARBITRUM: { name: 'Arbitrum One', explorer: 'https://arbiscan.io/tx/' },
  OPTIMISM: { name: 'OP Mainnet', explorer: 'https://optimistic.etherscan.io/tx/' },
  BASE: { name: 'Base', explorer: 'https://basescan.org/tx/' },
  AVALANCHE: { name: 'Avalanche C-Chain', explorer: 'https://snowtrace.io/tx/' },
  TRON: { name: 'TRON', explorer: 'https://tronscan.org/#/transaction/' },
  SOL: { name: 'Solana', explorer: 'https://solscan.io/tx/' },
};

/** A network's name; its code where it is one that this console does not know yet. */
export const networkName = (code: string): string => NETWORKS[code]?.name ?? code;

/** The gateway writes into the page which of the two it is. */
export const isSandbox: boolean =
  document.querySelector('meta[name="turnpike-environment"]')?.getAttribute('content') === 'sandbox';

/** Where to look a transaction up; null in the sandbox, whose chains nobody else can see. */
export function explorerOf(network: string, txHash: string): string | null {
  const explorer = NETWORKS[network]?.explorer;
  return explorer === undefined || isSandbox ? null : explorer + encodeURIComponent(txHash);
}
