// The tables of networks and assets (contract, section 6). A new token needs one row here; a new network needs a row
// and an adapter.

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
/** The account of the seed that a network's addresses derive from. Related networks share one, hence addresses. */
export type DerivationAccount = 'evm' | 'btc' | 'ltc' | 'tron' | 'sol';

/** The properties of a network that no deployment changes, and defaults. */
export interface NetworkRow {
  readonly network: Network;
  readonly kind: NetworkKind;
  readonly account: DerivationAccount;
  readonly name: string;
  /** Its native coin. */
  readonly coin: string;
  readonly coinDecimals: number;
  /** The default number of blocks that make a deposit final, counting its own block. */
  readonly confirmations: number;
  /** The least amount of the coin that is accepted or paid, in base units, if the network imposes one. */
  readonly leastCoin?: bigint;
  /** The average time between two blocks, which sets how often to look for one. */
  readonly blockTimeMs: number;
  /** The URL of a main-network transaction on a public explorer, with `{tx}` for its hash. */
  readonly explorer: string;
}

type Rest = Omit<NetworkRow, 'network' | 'kind' | 'account'>;

const evm = (network: Network, rest: Omit<Rest, 'coinDecimals'>): NetworkRow => ({
  ...{ network, kind: 'evm', account: 'evm', coinDecimals: 18 },
  ...rest,
});

export const NETWORKS: Readonly<Record<Network, NetworkRow>> = {
  BTC: {
    ...{ network: 'BTC', kind: 'utxo', account: 'btc', name: 'Bitcoin', coin: 'BTC', coinDecimals: 8 },
    ...{ confirmations: 2, blockTimeMs: 600_000, explorer: 'https://mempool.space/tx/{tx}' },
  },
  LTC: {
    ...{ network: 'LTC', kind: 'utxo', account: 'ltc', name: 'Litecoin', coin: 'LTC', coinDecimals: 8 },
    ...{ confirmations: 6, blockTimeMs: 150_000, explorer: 'https://litecoinspace.org/tx/{tx}' },
  },
  ETH: evm('ETH', {
    name: 'Ethereum',
    coin: 'ETH',
    confirmations: 12,
    blockTimeMs: 12_000,
    explorer: 'https://etherscan.io/tx/{tx}',
  }),
  BSC: evm('BSC', {
    name: 'BNB Smart Chain',
    coin: 'BNB',
    confirmations: 15,
    // Since Fermi (BEP-619).
    blockTimeMs: 450,
    explorer: 'https://bscscan.com/tx/{tx}',
  }),
  POLYGON: evm('POLYGON', {
    name: 'Polygon',
    coin: 'POL',
    confirmations: 30,
    blockTimeMs: 2_000,
    explorer: 'https://polygonscan.com/tx/{tx}',
  }),
  ARBITRUM: evm('ARBITRUM', {
    name: 'Arbitrum One',
    coin: 'ETH',
    confirmations: 20,
    blockTimeMs: 250,
    explorer: 'https://arbiscan.io/tx/{tx}',
  }),
  OPTIMISM: evm('OPTIMISM', {
    name: 'OP Mainnet',
    coin: 'ETH',
    confirmations: 20,
    blockTimeMs: 2_000,
    explorer: 'https://optimistic.etherscan.io/tx/{tx}',
  }),
  BASE: evm('BASE', {
    name: 'Base',
    coin: 'ETH',
    confirmations: 20,
    blockTimeMs: 2_000,
    explorer: 'https://basescan.org/tx/{tx}',
  }),
  AVALANCHE: evm('AVALANCHE', {
    name: 'Avalanche C-Chain',
    coin: 'AVAX',
    confirmations: 12,
    blockTimeMs: 1_500,
    explorer: 'https://snowtrace.io/tx/{tx}',
  }),
  TRON: {
    ...{ network: 'TRON', kind: 'tron', account: 'tron', name: 'TRON', coin: 'TRX', coinDecimals: 6 },
    ...{ confirmations: 20, blockTimeMs: 3_000, explorer: 'https://tronscan.org/#/transaction/{tx}' },
  },
  SOL: {
    ...{ network: 'SOL', kind: 'solana', account: 'sol', name: 'Solana', coin: 'SOL', coinDecimals: 9 },
    // An account must hold 890,880 lamports to be rent-exempt, so less cannot be paid to a new address.
    ...{ confirmations: 32, blockTimeMs: 400, leastCoin: 1_000_000n },
    explorer: 'https://explorer.solana.com/tx/{tx}',
  },
};

/** Whether the network keeps balances by account, rather than as unspent outputs. */
export const hasAccounts = (network: Network): boolean => NETWORKS[network].kind !== 'utxo';

/** The networks that share a derivation account with this one, including itself: they share addresses. */
export function relatedNetworks(code: Network): Network[] {
  return NETWORK_CODES.filter((other) => NETWORKS[other].account === NETWORKS[code].account);
}

/** The public explorer URL of a main-network transaction. */
export function explorerUrlOf(network: Network, txHash: string): string {
  return NETWORKS[network].explorer.replace('{tx}', encodeURIComponent(txHash));
}

const TOKEN_STANDARDS = [
  ['ERC20', 'ETH'],
  ['TRC20', 'TRON'],
  ['BEP20', 'BSC'],
  ['SPL', 'SOL'],
] as const;

const ALIASES: Readonly<Record<string, Network>> = { ...Object.fromEntries(TOKEN_STANDARDS), MATIC: 'POLYGON' };

/** A token on one network. */
interface TokenRow {
  readonly currency: string;
  readonly network: Network;
  /** From its contract on that network: USDT has 6 on ETH and 18 on BSC. */
  readonly decimals: number;
  /** Its contract on the main network. Live uses it unless the configuration sets another. */
  readonly contract: string;
}

const usdt = (network: Network, decimals: number, contract: string): TokenRow => ({
  ...{ currency: 'USDT', network, decimals, contract },
});
const usdc = (network: Network, decimals: number, contract: string): TokenRow => ({
  ...{ currency: 'USDC', network, decimals, contract },
});

/**
 * The tokens, one row each. Where the issuer issues on the network, the contract is the issuer's:
 * tether.to/en/supported-protocols, developers.circle.com/stablecoins/usdc-contract-addresses. Otherwise the row says
 * whose token it is. Most contracts were also found in the Superchain's list or in listings of services that accept the
 * token (docs.range.org, orderly.network, docs.gelato.cloud). The contracts on BSC, USDT on POLYGON, and USDC on TRON
 * and SOL were found in several public repositories only: check them against the issuer's page before money depends on
 * them. A live start checks each contract on its chain: one with other decimals takes the network out of service.
 */
const TOKENS: readonly TokenRow[] = [
  usdt('ETH', 6, '0xdAC17F958D2ee523a2206206994597C13D831ec7'),
  usdc('ETH', 6, '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'),
  // Binance-Peg tokens (bscscan.com/token/…): neither issuer issues on BSC.
  usdt('BSC', 18, '0x55d398326f99059fF775485246999027B3197955'),
  usdc('BSC', 18, '0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d'),
  // USDT0 since the bridged token was converted in place (docs.usdt0.to).
  usdt('POLYGON', 6, '0xc2132D05D31c914a87C6611C10748AEb04B58e8F'),
  usdc('POLYGON', 6, '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359'),
  // USDT0, as on POLYGON.
  usdt('ARBITRUM', 6, '0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9'),
  usdc('ARBITRUM', 6, '0xaf88d065e77c8cC2239327C5EDb3A432268e5831'),
  // Bridged USDT from the Superchain's token list (github.com/ethereum-optimism/ethereum-optimism.github.io). USDT0 is
  // a separate token there, 0x01bFF41798a0BcF287b996046Ca68b395DbC1071, not converted in place. To accept it instead,
  // set OPTIMISM_USDT_CONTRACT.
  usdt('OPTIMISM', 6, '0x94b008aA00579c1307B0EF2c499aD98a8ce58e58'),
  usdc('OPTIMISM', 6, '0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85'),
  // Bridged USDT from the same list.
  usdt('BASE', 6, '0xfde4C96c8593536E31F229EA8f37b2ADa2699bb2'),
  usdc('BASE', 6, '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'),
  usdt('AVALANCHE', 6, '0x9702230A8Ea53601f5cD2dc00fDBc13d4dF4A8c7'),
  usdc('AVALANCHE', 6, '0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E'),
  usdt('TRON', 6, 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'),
  // Issued by Circle until February 2024. Existing tokens can still be redeemed (tronscan.org).
  usdc('TRON', 6, 'TEkxiTehnzSmSe2XqrBj4w32RUN966rdz8'),
  usdt('SOL', 6, 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB'),
  usdc('SOL', 6, 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'),
];

/** A currency on a network: what an amount is an amount of. */
export interface Asset {
  readonly currency: string;
  readonly network: Network;
  readonly decimals: number;
  readonly isCoin: boolean;
  /** A token's contract on the main network; null for the coin. */
  readonly mainContract: string | null;
}

const rows: Asset[] = [
  ...NETWORK_CODES.map((code) => ({
    currency: NETWORKS[code].coin,
    network: code,
    decimals: NETWORKS[code].coinDecimals,
    isCoin: true,
    mainContract: null,
  })),
  ...TOKENS.map(({ contract, ...token }) => ({ ...token, isCoin: false, mainContract: contract })),
];

/** Every asset that the product knows, coins first. */
export const ASSETS: readonly Asset[] = rows;

const byPair = new Map(rows.map((asset) => [`${asset.currency}/${asset.network}`, asset]));

/** Reads a network code or alias in any case; null if there is no such network. */
export function parseNetwork(text: string): Network | null {
  const code = text.toUpperCase();
  if (Object.hasOwn(ALIASES, code)) return ALIASES[code] ?? null;
  return Object.hasOwn(NETWORKS, code) ? (code as Network) : null;
}

/** The token standard by which wallets and exchanges name the network; null if they use the network's name. */
export function tokenStandardOf(code: Network): string | null {
  return TOKEN_STANDARDS.find(([, network]) => network === code)?.[0] ?? null;
}

/** Finds an asset by its canonical codes; null if the pair does not exist. */
export function findAsset(currency: string, code: Network): Asset | null {
  return byPair.get(`${currency.toUpperCase()}/${code}`) ?? null;
}

/** Whether the currency exists on this network or, with null, on any. */
export function isSupported(currency: string, code: Network | null): boolean {
  return code === null ? NETWORK_CODES.some((each) => findAsset(currency, each)) : findAsset(currency, code) !== null;
}

/** The asset of a row that we stored. Throws if there is none, since that means a corrupt database. */
export function assetOf(row: { currency: string; network: string }): Asset {
  const asset = byPair.get(`${row.currency}/${row.network}`);
  if (!asset) throw new Error(`No such asset: ${row.currency} on ${row.network}`);
  return asset;
}

/**
 * The least and greatest amount of a payment or withdrawal, in base units: at least 0.01 for tokens and 0.0001 for
 * coins, at most 1,000,000. If the network has a node, the network's own minimum applies as well.
 */
export function limitsOf(asset: Asset, hasNode: boolean): { min: bigint; max: bigint } {
  const unit = 10n ** BigInt(asset.decimals);
  const least = asset.isCoin ? unit / 10_000n : unit / 100n;
  return { min: hasNode ? leastOf(asset) : least, max: unit * 1_000_000n };
}

/** The least amount that can be paid out, in base units. Anything below is dust. */
export function leastOf({ network, decimals, isCoin }: Asset): bigint {
  const unit = 10n ** BigInt(decimals);
  const { leastCoin = unit / 10_000n } = NETWORKS[network];
  return isCoin ? leastCoin : unit / 100n;
}
