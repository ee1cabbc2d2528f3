// The `ChainAdapter` of TRON, over a node's HTTP API.
//
// It does not use the Ethereum-like JSON-RPC, which shows payments of worthless TRC-10 tokens as payments of the coin,
// does not report what a transaction cost, and is off by default.

import { findAsset, NETWORKS, type Network } from '../../values/assets.ts';
import type { AccountAdapter } from '../adapter.ts';
import { guarded } from '../invalid-response.ts';
import { addressOfPublicKey, bytesOfAddress, createAddressDerivation, parseTronAddress } from './address.ts';
import { DECIMALS_CALL, readWord } from './calls.ts';
import { createTronNode, type TronNode, type TronNodeOptions } from './node.ts';
import { createReader } from './reader.ts';
import { createSender } from './send.ts';
import type { WatchedAssets } from './transfers.ts';
import { readHead } from './rpc-types.ts';

/**
 * The main network's chain id: the last four bytes of the first block's id, as in `eth_chainId` (TIP-474). Those of the
 * test networks Shasta and Nile are 2494104990 and 3448148188.
 */
const MAINNET_CHAIN_ID = 728_126_428;

export interface TronAdapterOptions extends TronNodeOptions {
  /** By default, the main network's. */
  chainId?: number;
  /** Currency code → contract address, null for the coin. */
  contracts: ReadonlyMap<string, string | null>;
}

/** Shared by the functions below. */
interface Deps {
  readonly network: Network;
  readonly chainId: number;
  readonly node: TronNode;
  readonly contracts: ReadonlyMap<string, string | null>;
}

/** Throws if an option is invalid. The node is first asked by `verify`. */
export function createTronAdapter(options: TronAdapterOptions): AccountAdapter {
  const { network } = options;
  const contracts = readContracts(network, options.contracts);
  const node = createTronNode(options);
  const assets = watchedAssets(network, contracts);
  const deps: Deps = { network, chainId: options.chainId ?? MAINNET_CHAIN_ID, node, contracts };
  const reader = createReader({ node, assets, assertChain: () => assertChain(deps) });
  const sender = createSender({ ...deps, reader, assets });
  const { model, curve, feePayer, replaceable, reserve, validity, balancesAtOnce, nonces, buildTransaction } = sender;

  return {
    ...{ network, account: 'tron', addresses: 'DERIVED', contracts, minesOnDemand: false },
    derive: createAddressDerivation(),
    parseAddress: parseTronAddress,
    addressFor: (key) => parseTronAddress(key)?.address ?? null,
    // TRON has no standard URI scheme. Common wallets reject the ones in use, and a wallet that understood the amount
    // but not the token would pay the wrong currency. All wallets accept the plain address.
    paymentUri: ({ address }) => address,
    verify: guarded(deps, () => verify(deps)),
    tip: guarded(deps, reader.tip),
    headAt: guarded(deps, reader.headAt),
    next: guarded(deps, reader.next),
    isCanonical: guarded(deps, reader.isCanonical),
    // A block comes every three seconds, and nodes do not list waiting transactions.
    mempool: () => Promise.resolve({ transfers: [], signed: [] }),
    txState: guarded(deps, reader.txState),
    // TRON transactions cannot conflict: they spend neither a nonce nor an output.
    conflictAt: () => Promise.resolve(null),
    addressOf: addressOfPublicKey,
    ...{ model, curve, feePayer, replaceable, reserve, validity, balancesAtOnce, nonces, buildTransaction },
    fees: guarded(deps, sender.fees),
    quote: guarded(deps, sender.quote),
    balances: guarded(deps, sender.balances),
    broadcast: guarded(deps, sender.broadcast),
    receipt: guarded(deps, sender.receipt),
    hasExpired: guarded(deps, sender.hasExpired),
    finalizedHeight: guarded(deps, sender.finalizedHeight),
  };
}

/** Checks the chain, and that every configured contract is a token with the expected decimals. */
async function verify(deps: Deps): Promise<void> {
  const { network, node, contracts } = deps;
  await assertChain(deps);
  for (const [currency, contract] of contracts) {
    if (contract === null) continue;
    const expected = findAsset(currency, network)?.decimals;
    const decimals = await readWord(node, { owner: contract, contract, data: DECIMALS_CALL });
    if (decimals === null) node.fail(`there is no token at ${contract} (${currency})`);
    if (decimals !== BigInt(expected ?? -1))
      node.fail(`the token at ${contract} has ${String(decimals)} decimals, ${currency} has ${String(expected)}`);
  }
}

/** The first block identifies the chain. */
async function assertChain({ node, chainId }: Deps): Promise<void> {
  const first = readHead(await node.ask('getblockbynum', { num: 0 })) ?? node.fail('the node has no first block');
  const actual = Number.parseInt(first.hash.slice(-8), 16);
  if (actual !== chainId) node.fail(`the node is on chain ${String(actual)}, expected ${String(chainId)}`);
}

function readContracts(network: Network, given: ReadonlyMap<string, string | null>) {
  const contracts = new Map<string, string | null>();
  for (const [currency, text] of given) {
    const asset = findAsset(currency, network);
    if (!asset) throw new Error(`There is no ${currency} on ${network}`);
    if (asset.isCoin !== (text === null))
      throw new Error(`${currency} on ${network}: a token has a contract, the coin none`);
    if (text !== null && !parseTronAddress(text))
      throw new Error(`The contract of ${currency} on ${network} is no address: ${text}`);
    contracts.set(asset.currency, text);
  }
  return contracts;
}

function watchedAssets(network: Network, contracts: ReadonlyMap<string, string | null>): WatchedAssets {
  const tokens = new Map<string, string>();
  for (const [currency, contract] of contracts) {
    if (contract === null) continue;
    const bytes = bytesOfAddress(contract).subarray(1).toString('hex');
    if (tokens.has(bytes)) throw new Error(`Two currencies share the contract ${contract} on ${network}`);
    tokens.set(bytes, currency);
  }
  const { coin } = NETWORKS[network];
  return { coin: contracts.has(coin) ? coin : null, tokens };
}
