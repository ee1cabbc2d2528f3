// The chain adapter of TRON: reads and pays over a node's own HTTP API.
//
// Not over its Ethereum-like JSON-RPC: that shows a payment of any worthless TRC-10 token as a payment of the coin, does
// not say what a transaction cost, and is switched off in nodes as they come.

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
 * The main network's: the last four bytes of the first block's id, as `eth_chainId` answers them (TIP-474). The test
 * networks Shasta and Nile have 2494104990 and 3448148188.
 */
const MAINNET_CHAIN_ID = 728_126_428;

export interface TronAdapterOptions extends TronNodeOptions {
  /** The main network's by default. */
  chainId?: number;
  /** Currency code → contract address, null for the coin. */
  contracts: ReadonlyMap<string, string | null>;
}

/** What the parts share. */
interface Deps {
  readonly network: Network;
  readonly chainId: number;
  readonly node: TronNode;
  readonly contracts: ReadonlyMap<string, string | null>;
}

/** Creates the adapter; throws when an option is wrong. The node is first asked by `verify`. */
export function createTronAdapter(options: TronAdapterOptions): AccountAdapter {
  const { network } = options;
  const contracts = readContracts(network, options.contracts);
  const node = createTronNode(options);
  const assets = watchedAssets(network, contracts);
  const deps: Deps = { network, chainId: options.chainId ?? MAINNET_CHAIN_ID, node, contracts };
  const reader = createReader({ node, assets, assertChain: () => assertChain(deps) });
  const sender = createSender({ ...deps, reader, assets });
  const { model, curve, feePayer, replaceable, reserve, validity, nonces, buildTransaction } = sender;

  return {
    ...{ network, account: 'tron', addresses: 'DERIVED', contracts, minesOnDemand: false },
    derive: createAddressDerivation(),
    parseAddress: parseTronAddress,
    // No scheme is agreed on: wallets in use refuse the codes that some shops show, and one that understood the amount
    // but not the token would pay the wrong coin. All of them read the address alone.
    paymentUri: ({ address }) => address,
    verify: guarded(deps, () => verify(deps)),
    tip: guarded(deps, reader.tip),
    headAt: guarded(deps, reader.headAt),
    next: guarded(deps, reader.next),
    isCanonical: guarded(deps, reader.isCanonical),
    // A block comes every three seconds; what waits until then is told only transaction by transaction.
    mempool: () => Promise.resolve({ transfers: [], signed: [] }),
    txState: guarded(deps, reader.txState),
    // A transaction uses up nothing that another could take in its place.
    conflictAt: () => Promise.resolve(null),
    addressOf: addressOfPublicKey,
    ...{ model, curve, feePayer, replaceable, reserve, validity, nonces, buildTransaction },
    fees: guarded(deps, sender.fees),
    quote: guarded(deps, sender.quote),
    balances: guarded(deps, sender.balances),
    broadcast: guarded(deps, sender.broadcast),
    receipt: guarded(deps, sender.receipt),
    hasExpired: guarded(deps, sender.hasExpired),
    finalizedHeight: guarded(deps, sender.finalizedHeight),
  };
}

/** The right chain, and behind every configured contract a token with the decimals that amounts are counted in. */
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

/** A chain is known by its first block. */
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
