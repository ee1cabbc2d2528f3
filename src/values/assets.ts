// Networks and assets as tables (contract, section 6). Adding a token is a row here; adding a network, a row and an adapter.

/** The canonical network codes. */
export const NETWORK_CODES = [
  'BTC',
  'LTC',
  'ETH',
  'BSC',
  'POLYGON',
  'ARBITRUM',
  'OPTIMISM',
  'BASE',
  'AVALANCHE',
  'TRON',
  'SOL',
] as const;

export type Network = (typeof NETWORK_CODES)[number];
export type NetworkKind = 'evm' | 'utxo' | 'tron' | 'solana';

/** What is fixed about a network wherever we run. */
export interface NetworkRow {
  readonly network: Network;
  readonly kind: NetworkKind;
  readonly name: string;
  /** Its own coin. */
  readonly coin: string;
  readonly coinDecimals: number;
  /** Blocks that make a deposit final, the including block counted; a default that configuration may change. */
  readonly confirmations: number;
}

const network = (
  code: Network,
  kind: NetworkKind,
  name: string,
  coin: string,
  coinDecimals: number,
  confirmations: number,
): NetworkRow => ({ network: code, kind, name, coin, coinDecimals, confirmations });

export const NETWORKS: Readonly<Record<Network, NetworkRow>> = {
  BTC: network('BTC', 'utxo', 'Bitcoin', 'BTC', 8, 2),
  LTC: network('LTC', 'utxo', 'Litecoin', 'LTC', 8, 6),
  ETH: network('ETH', 'evm', 'Ethereum', 'ETH', 18, 12),
  BSC: network('BSC', 'evm', 'BNB Smart Chain', 'BNB', 18, 15),
  POLYGON: network('POLYGON', 'evm', 'Polygon', 'POL', 18, 30),
  ARBITRUM: network('ARBITRUM', 'evm', 'Arbitrum One', 'ETH', 18, 20),
  OPTIMISM: network('OPTIMISM', 'evm', 'OP Mainnet', 'ETH', 18, 20),
  BASE: network('BASE', 'evm', 'Base', 'ETH', 18, 20),
  AVALANCHE: network('AVALANCHE', 'evm', 'Avalanche C-Chain', 'AVAX', 18, 12),
  TRON: network('TRON', 'tron', 'TRON', 'TRX', 6, 20),
  SOL: network('SOL', 'solana', 'Solana', 'SOL', 9, 32),
};

const ALIASES: Readonly<Record<string, Network>> = {
  ERC20: 'ETH',
  TRC20: 'TRON',
  BEP20: 'BSC',
  MATIC: 'POLYGON',
  SPL: 'SOL',
};

/** Tokens by network with their decimals there: USDT has 6 on ETH and 18 on BSC. */
const TOKEN_DECIMALS: ReadonlyArray<readonly [currency: string, network: Network, decimals: number]> = [
  ['USDT', 'ETH', 6],
  ['USDC', 'ETH', 6],
  ['USDT', 'BSC', 18],
  ['USDC', 'BSC', 18],
  ['USDT', 'POLYGON', 6],
  ['USDC', 'POLYGON', 6],
  ['USDT', 'ARBITRUM', 6],
  ['USDC', 'ARBITRUM', 6],
  ['USDT', 'OPTIMISM', 6],
  ['USDC', 'OPTIMISM', 6],
  ['USDT', 'BASE', 6],
  ['USDC', 'BASE', 6],
  ['USDT', 'AVALANCHE', 6],
  ['USDC', 'AVALANCHE', 6],
  ['USDT', 'TRON', 6],
  ['USDC', 'TRON', 6],
  ['USDT', 'SOL', 6],
  ['USDC', 'SOL', 6],
];

/** A currency on a network: what an amount is an amount of. */
export interface Asset {
  readonly currency: string;
  readonly network: Network;
  readonly decimals: number;
  readonly isCoin: boolean;
}

const rows: Asset[] = [
  ...NETWORK_CODES.map((code) => ({
    currency: NETWORKS[code].coin,
    network: code,
    decimals: NETWORKS[code].coinDecimals,
    isCoin: true,
  })),
  ...TOKEN_DECIMALS.map(([currency, code, decimals]) => ({ currency, network: code, decimals, isCoin: false })),
];

/** Every pair the product knows, coins first. */
export const ASSETS: readonly Asset[] = rows;

const byPair = new Map(rows.map((asset) => [`${asset.currency}/${asset.network}`, asset]));

/** Reads a network code or alias in any case; null when there is none. */
export function parseNetwork(text: string): Network | null {
  const code = text.toUpperCase();
  if (Object.hasOwn(ALIASES, code)) return ALIASES[code] ?? null;
  return Object.hasOwn(NETWORKS, code) ? (code as Network) : null;
}

/** Finds an asset by canonical codes; null when the pair does not exist. */
export function findAsset(currency: string, code: Network): Asset | null {
  return byPair.get(`${currency.toUpperCase()}/${code}`) ?? null;
}

/** The asset of a row that we wrote ourselves, where not finding it is a broken database. */
export function assetOf(row: { currency: string; network: string }): Asset {
  const asset = byPair.get(`${row.currency}/${row.network}`);
  if (!asset) throw new Error(`No such asset: ${row.currency} on ${row.network}`);
  return asset;
}

/** Least and greatest amount of a payment or withdrawal, in base units: tokens 0.01, coins 0.0001, at most 1,000,000. */
export function limitsOf(asset: Asset): { min: bigint; max: bigint } {
  const unit = 10n ** BigInt(asset.decimals);
  return { min: unit / (asset.isCoin ? 10_000n : 100n), max: unit * 1_000_000n };
}
