// The networks of a deployment: `<NETWORK>_RPC_URL` makes one, the other variables say what its node is to be.

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

/** How to reach a network's nodes, and what is taken there. */
export interface NetworkConfig {
  /** At least one. */
  readonly nodes: readonly NodePlace[];
  /** Token contracts by currency; the coin is not among them. */
  readonly contracts: ReadonlyMap<string, string>;
  /** The account-level extended public key; null where the signer of this deployment provides it. */
  readonly xpub: string | null;
  /** What the node must say that it is, where that is not the main network. */
  readonly chainId: number | null;
  /** With two or more nodes: deposits of more than this, in base units by currency, need two of them to agree. */
  readonly quorumAbove: ReadonlyMap<string, bigint>;
  /** Whether the node is asked for traces, which show transfers made inside contracts, where it offers them. */
  readonly trace: boolean;
  /** The first block of a chain that is known by it, where that is not the main network. */
  readonly genesisHash: string | null;
  /** Which chain of a network that names them (BTC, LTC); null on other networks. */
  readonly chainName: string | null;
  /** Whether addresses of such a network are taproot's. */
  readonly taproot: boolean;
  /** The most that a byte of our own transactions may cost there, in base units; null: the network's default. */
  readonly maxFeeRate: bigint | null;
  /**
   * Up to this price of a byte outputs are brought together in quiet times; 0 where that is switched off, or there are
   * none.
   */
  readonly consolidateBelow: bigint;
  /**
   * The most that they offer for gas on EVM networks, and of it to the block's producer; null: the network's default.
   */
  readonly maxGasPriceWei: bigint | null;
  readonly maxTipWei: bigint | null;
}

const BASE58 = '[1-9A-HJ-NP-Za-km-z]';
/**
 * The beginnings of an account's extended public key (SLIP-132), of main and of test networks. None where there is no
 * public derivation: such a network's addresses are made ahead by the signer.
 */
const XPUB_KINDS: Readonly<Record<DerivationAccount, readonly string[]>> = {
  evm: ['xpub'],
  tron: ['xpub'],
  btc: ['xpub', 'zpub', 'tpub', 'vpub'],
  ltc: ['xpub', 'zpub', 'Ltub', 'tpub', 'vpub', 'ttub'],
  sol: [],
};

/** What most shops sell is worth less; a node that lies would have to be worth more. */
const QUORUM_ABOVE = { coin: '1', token: '1000' };

/** A byte costs no more than that on quiet days of Bitcoin, and on most days of Litecoin. */
const QUIET_RATE = 5;

/** Reads every network there is a node for. */
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
  if (text !== null && (wei === null || wei === 0n)) read.fault(name, 'must be a decimal of gwei, more than 0');
  return wei;
}

/** `SOL_GENESIS_HASH`: Solana has no number for its chains. */
function readGenesis(read: Reader, network: Network, chainId: string | null): string | null {
  if (NETWORKS[network].kind !== 'solana') return null;
  const name = `${network}_GENESIS_HASH`;
  if (chainId !== null) read.fault(`${network}_CHAIN_ID`, `does not exist: its chains are told apart by ${name}`);
  const hash = read.optional(name);
  if (hash !== null && !new RegExp(`^${BASE58}{32,44}$`).test(hash)) read.fault(name, 'must be a hash in base58');
  return hash;
}

/** `SANDBOX_NETWORKS`: those that have a node of their own are none of the sandbox's. */
export function readSandboxNetworks(read: Reader, networks: ReadonlyMap<Network, unknown>): Network[] {
  // Who runs a chain for the sandbox runs all that it has.
  const byDefault = networks.has('ETH') ? [] : ['ETH', 'POLYGON'];
  const named = read.optional('SANDBOX_NETWORKS') === null ? byDefault : read.list('SANDBOX_NETWORKS');
  const found = named.map((name) => {
    const network = parseNetwork(name);
    if (network === null) read.fault('SANDBOX_NETWORKS', `there is no network ${name}`);
    return network;
  });
  return [...new Set(found.filter((network) => network !== null))].filter((network) => !networks.has(network));
}

/** `<NETWORK>_<CURRENCY>_CONTRACT`; on a main network its own where it is not set, and `none` leaves the token out. */
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
      if (units === null) read.fault(name, `must be a decimal of at most ${String(decimals)} places`);
      return [currency, units ?? 0n];
    }),
  );
}

function readXpub(read: Reader, network: Network): string | null {
  const name = `${network}_XPUB`;
  const xpub = read.optional(name);
  const kinds = XPUB_KINDS[NETWORKS[network].account];
  if (xpub === null) return null;
  if (kinds.length === 0) read.fault(name, 'does not exist: its addresses are made by the signer');
  else if (!new RegExp(`^(${kinds.join('|')})${BASE58}{107}$`).test(xpub))
    read.fault(name, `must be an account-level extended public key (${kinds.map((kind) => `${kind}…`).join(', ')})`);
  return xpub;
}

/** A chain that is read as two networks would credit everything twice. */
function refuseOneForTwo(read: Reader, networks: ReadonlyMap<Network, NetworkConfig>): void {
  const seen = new Map<string, Network>();
  for (const [network, { nodes, chainId }] of networks) {
    const { kind } = NETWORKS[network];
    for (const [name, value] of [
      ...nodes.map(({ url }) => ['RPC_URL', `${kind} ${url}`] as const),
      ...(chainId === null ? [] : [['CHAIN_ID', `${kind} ${String(chainId)}`] as const]),
    ]) {
      const other = seen.get(value);
      if (other !== undefined && other !== network) read.fault(`${network}_${name}`, `is that of ${other}, too`);
      else seen.set(value, network);
    }
  }
}

/** Networks of one account have one key, which any of them may give; live needs it. */
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
