// The `ChainAdapter` of Solana, over a node's JSON-RPC.

import { findAsset, type Network } from '../../values/assets.ts';
import type { AccountAdapter } from '../adapter.ts';
import { guarded } from '../invalid-response.ts';
import { addressOfPublicKey, parseSolanaAddress } from './address.ts';
import { createBalances } from './balances.ts';
import { createMints, readContracts, watchedAssets, type Mints } from './mints.ts';
import { createSolanaNode, type SolanaNode, type SolanaNodeOptions } from './node.ts';
import { createReader } from './reader.ts';
import { createSender } from './send.ts';
import { referenceOf, solanaPayUri } from './uri.ts';
import { createWalletTransactions } from './wallet-transaction.ts';
import { textOf } from './rpc-types.ts';

/** The hash of the main network's first block. Devnet's begins with `EtWT`, testnet's with `4uhc`. */
const MAINNET_GENESIS = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d';

export interface SolanaAdapterOptions extends SolanaNodeOptions {
  /** The hash of the chain's first block; by default, the main network's. */
  genesisHash?: string;
  /** Currency code → mint, null for the coin. */
  contracts: ReadonlyMap<string, string | null>;
}

/** Shared by the functions below. */
interface Deps {
  readonly network: Network;
  readonly genesisHash: string;
  readonly node: SolanaNode;
  readonly mints: Mints;
  readonly contracts: ReadonlyMap<string, string | null>;
}

/** Throws if an option is invalid. The node is first asked by `verify`. */
export function createSolanaAdapter(options: SolanaAdapterOptions): AccountAdapter {
  const { network, genesisHash = MAINNET_GENESIS } = options;
  const contracts = readContracts(network, options.contracts);
  const node = createSolanaNode(options);
  const mints = createMints(node, network, contracts);
  const deps: Deps = { network, genesisHash, node, mints, contracts };
  const reader = createReader({
    ...{ node, assets: watchedAssets(network, contracts) },
    assertChain: () => assertChain(deps),
  });
  const sender = createSender({ ...deps, reader, assets: watchedAssets(network, contracts) });
  const { model, feePayer, replaceable, reserve, validity, balancesAtOnce, curve, nonces, buildTransaction } = sender;

  return {
    ...{ network, account: 'sol', addresses: 'POOLED', contracts, minesOnDemand: false },
    derive: () => {
      throw new Error('ed25519 has no public derivation: addresses are made ahead by the signer');
    },
    parseAddress: parseSolanaAddress,
    addressFor: (key) => parseSolanaAddress(key)?.address ?? null,
    paymentUri: ({ address, currency, amount, orderId }) => {
      const decimals = findAsset(currency, network)?.decimals ?? 0;
      const mint = mints.contractOf(currency);
      return solanaPayUri({ address, mint, amount, decimals, references: [referenceOf(orderId)] });
    },
    walletTransaction: guarded(deps, createWalletTransactions(deps)),
    verify: guarded(deps, () => verify(deps)),
    tip: guarded(deps, reader.tip),
    headAt: guarded(deps, reader.headAt),
    next: guarded(deps, reader.next),
    following: guarded(deps, reader.following),
    isCanonical: guarded(deps, reader.isCanonical),
    // A block comes every 0.4 seconds, so transactions do not wait long enough to be read.
    mempool: () => Promise.resolve({ transfers: [], signed: [] }),
    txState: guarded(deps, reader.txState),
    // Solana transactions cannot conflict: they spend neither a nonce nor an output.
    conflictAt: () => Promise.resolve(null),
    addressOf: addressOfPublicKey,
    ...{ model, feePayer, replaceable, reserve, validity, balancesAtOnce, curve, nonces, buildTransaction },
    fees: guarded(deps, sender.fees),
    quote: guarded(deps, sender.quote),
    balances: guarded(deps, createBalances(deps)),
    broadcast: guarded(deps, sender.broadcast),
    receipt: guarded(deps, sender.receipt),
    hasExpired: guarded(deps, sender.hasExpired),
    finalizedHeight: guarded(deps, sender.finalizedHeight),
    hasAccount: guarded(deps, sender.hasAccount),
  };
}

/**
 * Checks the chain, and that every configured mint is a token with the expected decimals and without a transfer fee.
 * With a fee, payouts would arrive short and count as unpaid.
 */
async function verify(deps: Deps): Promise<void> {
  const { network, node, contracts, mints } = deps;
  await assertChain(deps);
  for (const [currency, contract] of contracts) {
    if (contract === null) continue;
    const expected = findAsset(currency, network)?.decimals;
    // Read again each time: a new fee takes effect only two epochs (days) later.
    const { decimals, takesFee } = await mints.read(currency, 'fresh');
    if (decimals !== expected)
      node.fail(`the token at ${contract} has ${String(decimals)} decimals, ${currency} has ${String(expected)}`);
    if (takesFee) node.fail(`the token at ${contract} (${currency}) takes a fee from its transfers`);
  }
}

async function assertChain({ node, genesisHash }: Deps): Promise<void> {
  const actual = textOf(await node.call('getGenesisHash', []), 'genesis hash');
  if (actual !== genesisHash) node.fail(`the node is on the chain of ${actual}, expected ${genesisHash}`);
}
