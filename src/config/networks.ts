// Reads the networks of a deployment: `<NETWORK>_RPC_URL` enables one, other variables configure it.

import {
  ASSETS,
  NETWORK_CODES,
  NETWORKS,
  parseNetwork,
  type DerivationAccount,
  type Network,
} from '../values/assets.ts';
import { parseAmount } from '../values/amount.ts';
import { readNodes, type NodePlace } from './nodes.ts';
import type { Reader } from './reader.ts';

/** How to reach a network's nodes, and how to use the network. */
export interface NetworkConfig {
  /** At least one. */
  readonly nodes: readonly NodePlace[];
  /** Token contracts by currency; the coin is not included. */
  readonly contracts: ReadonlyMap<string, string>;
  /** The account-level extended public key; null if the signer of this deployment provides it. */
  readonly xpub: string | null;
  /** The chain id that the node must report, if not the main network's. */
  readonly chainId: number | null;
  /** With two or more nodes: deposits above this, in base units by currency, need two nodes to agree. */
  readonly quorumAbove: ReadonlyMap<string, bigint>;
  /** Whether to read traces, which show transfers made inside contracts, if the node offers them. */
  readonly trace: boolean;
  /** Genesis hash of a Solana cluster, if not the main one; null elsewhere. */
  readonly genesisHash: string | null;
  /** The named chain of BTC and LTC; null on other networks. */
  readonly chainName: string | null;
  /** Whether to issue taproot addresses on BTC. */
  readonly taproot: boolean;
  /** Maximum fee rate of our own transactions on BTC and LTC, in base units per byte; null: the network's default. */
  readonly maxFeeRate: bigint | null;
  /** Up to this fee rate outputs are consolidated in quiet times; 0: never. */
  readonly consolidateBelow: bigint;
  /** Maximum gas price on EVM networks, and the priority fee within it; null: the network's default. */
  readonly maxGasPriceWei: bigint | null;
  readonly maxTipWei: bigint | null;
}

const BASE58 = '[1-9A-HJ-NP-Za-km-z]';
/**
 * Prefixes of an account's extended public key (SLIP-132), for main and test networks. Empty without public derivation:
 * the signer pools such addresses.
 */
const XPUB_KINDS: Readonly<Record<DerivationAccount, readonly string[]>> = {
  evm: ['xpub'],
  tron: ['xpub'],
  btc: ['xpub', 'zpub', 'tpub', 'vpub'],
  ltc: ['xpub', 'zpub', 'Ltub', 'tpub', 'vpub', 'ttub'],
  sol: [],
};

/** Most goods cost less than this; a lying node would have to be worth more. */
const QUORUM_ABOVE = { coin: '1', token: '1000' };

/** Fees per byte are not higher on quiet days of Bitcoin, and on most days of Litecoin. */
const QUIET_RATE = 5;

/** Reads every network with at least one node. */
export function readNetworks(read: Reader, live: boolean): Map<Network, NetworkConfig> {
  const networks = new Map<Network, NetworkConfig>();
  for (const network of NETWORK_CODES) {
    const nodes = readNodes(read, network);
    if (nodes.length === 0) continue;
    const chainId = read.optional(`${network}_CHAIN_ID`);
    const genesisHash = readGenesis(read, network, chainId);
    if (chainId !== null && !/^[1-9]\d{0,15}$/.test(chainId))
      read.fault(`${network}_CHAIN_ID`, 'must be a whole number');
    networks.set(network, {
      nodes,
      contracts: readContracts(read, network, live && chainId === null && genesisHash === null),
      xpub: readXpub(read, network),
      chainId: chainId === null ? null : Number(chainId),
      genesisHash,
      quorumAbove: readQuorum(read, network),
      trace: read.boolean(`${network}_TRACE`, true),
      ...readUtxo(read, network, live),
      maxGasPriceWei: readGwei(read, network, 'MAX_GAS_PRICE'),
      maxTipWei: readGwei(read, network, 'MAX_TIP'),
    });
  }
  refuseOneForTwo(read, networks);
  return shareXpubs(read, networks, live);
}

/** `<NETWORK>_CHAIN`, `<NETWORK>_ADDRESS_TYPE`, `<NETWORK>_MAX_FEE_RATE`, `<NETWORK>_CONSOLIDATE_BELOW`. */
function readUtxo(
  read: Reader,
  network: Network,
  live: boolean,
): Pick<NetworkConfig, 'chainName' | 'taproot' | 'maxFeeRate' | 'consolidateBelow'> {
  if (NETWORKS[network].kind !== 'utxo')
    return { chainName: null, taproot: false, maxFeeRate: null, consolidateBelow: 0n };
  const chains = ['main', 'test', 'regtest', ...(network === 'BTC' ? (['testnet4', 'signet'] as const) : [])] as const;
  const types = ['segwit', ...(network === 'BTC' ? (['taproot'] as const) : [])] as const;
  const rate = `${network}_MAX_FEE_RATE`;
  return {
    chainName: read.oneOf(`${network}_CHAIN`, chains, live ? 'main' : 'test'),
    taproot: read.oneOf(`${network}_ADDRESS_TYPE`, types, 'segwit') === 'taproot',
    maxFeeRate: read.optional(rate) === null ? null : BigInt(read.integer(rate, 1, 1, 1_000_000)),
    consolidateBelow: BigInt(read.integer(`${network}_CONSOLIDATE_BELOW`, QUIET_RATE, 0, 1_000_000)),
  };
}

/** `<NETWORK>_MAX_GAS_PRICE` and `<NETWORK>_MAX_TIP` of EVM networks, decimals of a gwei. */
function readGwei(read: Reader, network: Network, what: string): bigint | null {
  const name = `${network}_${what}`;
  const text = NETWORKS[network].kind === 'evm' ? read.optional(name) : null;
  const wei = text === null ? null : parseAmount(text, 9);
  if (text !== null && (wei === null || wei === 0n))
    read.fault(name, 'must be a decimal number of gwei greater than 0');
  return wei;
}

/** `SOL_GENESIS_HASH`: Solana has no numeric chain ids. */
function readGenesis(read: Reader, network: Network, chainId: string | null): string | null {
  if (NETWORKS[network].kind !== 'solana') return null;
  const name = `${network}_GENESIS_HASH`;
  if (chainId !== null) read.fault(`${network}_CHAIN_ID`, `does not exist: use ${name}, which identifies its chain`);
  const hash = read.optional(name);
  if (hash !== null && !new RegExp(`^${BASE58}{32,44}$`).test(hash)) read.fault(name, 'must be a hash in base58');
  return hash;
}

/** `SANDBOX_NETWORKS`, without networks that have a configured node. */
export function readSandboxNetworks(read: Reader, networks: ReadonlyMap<Network, unknown>): Network[] {
  // With an external ETH node, the sandbox starts no chains by default.
  const byDefault = networks.has('ETH') ? [] : ['ETH', 'POLYGON'];
  const named = read.optional('SANDBOX_NETWORKS') === null ? byDefault : read.list('SANDBOX_NETWORKS');
  const found = named.map((name) => {
    const network = parseNetwork(name);
    if (network === null) read.fault('SANDBOX_NETWORKS', `there is no network ${name}`);
    return network;
  });
  return [...new Set(found.filter((network) => network !== null))].filter((network) => !networks.has(network));
}

/**
 * `<NETWORK>_<CURRENCY>_CONTRACT`; defaults to the well-known contract on a main network, and `none` leaves the token
 * out.
 */
function readContracts(read: Reader, network: Network, isMain: boolean): Map<string, string> {
  const contracts = new Map<string, string>();
  for (const asset of ASSETS) {
    if (asset.network !== network || asset.isCoin) continue;
    const configured = read.optional(`${network}_${asset.currency}_CONTRACT`);
    const contract = configured ?? (isMain ? asset.mainContract : null);
    if (contract !== null && contract.toLowerCase() !== 'none') contracts.set(asset.currency, contract);
  }
  return contracts;
}

/** `<NETWORK>_<CURRENCY>_QUORUM_ABOVE`, a decimal in that currency. */
function readQuorum(read: Reader, network: Network): Map<string, bigint> {
  const own = ASSETS.filter((asset) => asset.network === network);
  return new Map(
    own.map(({ currency, decimals, isCoin }) => {
      const name = `${network}_${currency}_QUORUM_ABOVE`;
      const text = read.text(name, isCoin ? QUORUM_ABOVE.coin : QUORUM_ABOVE.token);
      const units = text === '0' ? 0n : parseAmount(text, decimals);
      if (units === null) read.fault(name, `must be a decimal number with at most ${String(decimals)} places`);
      return [currency, units ?? 0n];
    }),
  );
}

function readXpub(read: Reader, network: Network): string | null {
  const name = `${network}_XPUB`;
  const xpub = read.optional(name);
  const kinds = XPUB_KINDS[NETWORKS[network].account];
  if (xpub === null) return null;
  if (kinds.length === 0) read.fault(name, 'does not exist: the signer creates its addresses');
  else if (!new RegExp(`^(${kinds.join('|')})${BASE58}{107}$`).test(xpub))
    read.fault(name, `must be an account-level extended public key (${kinds.map((kind) => `${kind}…`).join(', ')})`);
  return xpub;
}

/** A chain configured as two networks would credit everything twice. */
function refuseOneForTwo(read: Reader, networks: ReadonlyMap<Network, NetworkConfig>): void {
  const seen = new Map<string, Network>();
  for (const [network, { nodes, chainId }] of networks) {
    const { kind } = NETWORKS[network];
    for (const [name, value] of [
      ...nodes.map(({ url }) => ['RPC_URL', `${kind} ${url}`] as const),
      ...(chainId === null ? [] : [['CHAIN_ID', `${kind} ${String(chainId)}`] as const]),
    ]) {
      const other = seen.get(value);
      if (other !== undefined && other !== network) read.fault(`${network}_${name}`, `is also that of ${other}`);
      else seen.set(value, network);
    }
  }
}

/** Networks of one account share one key, which any of them may configure; live requires it. */
function shareXpubs(
  read: Reader,
  networks: ReadonlyMap<Network, NetworkConfig>,
  live: boolean,
): Map<Network, NetworkConfig> {
  const keys = new Map<DerivationAccount, { network: Network; xpub: string }>();
  for (const [network, { xpub }] of networks) {
    const { account } = NETWORKS[network];
    const known = keys.get(account);
    if (xpub === null) continue;
    if (known && known.xpub !== xpub) read.fault(`${network}_XPUB`, `differs from ${known.network}_XPUB`);
    if (!known) keys.set(account, { network, xpub });
  }
  const missing = new Set<DerivationAccount>();
  return new Map(
    [...networks].map(([network, node]) => {
      const { account } = NETWORKS[network];
      const xpub = keys.get(account)?.xpub ?? null;
      if (live && xpub === null && XPUB_KINDS[account].length > 0 && !missing.has(account)) {
        missing.add(account);
        read.fault(`${network}_XPUB`, `is required in live with ${network}_RPC_URL`);
      }
      return [network, { ...node, xpub }];
    }),
  );
}
