// What the parts of the transfer sender share.

import type { Chain, Deps } from '../domain/deps.ts';
import type { TransferRow } from '../database/queries/transfers.ts';
import { assetOf, NETWORKS, type Asset } from '../values/assets.ts';
import type { Signer } from './signer.ts';
import type { Wallets } from './wallets.ts';

/** The sandbox's chain as far as the sender acts on it. */
export interface TestChain {
  /** Durable; one that the chain has already is left alone. */
  sendRaw(signed: string): Promise<unknown>;
  mine(count: number): Promise<unknown>;
  /** Pays from the faucet. */
  deposit(request: { address: string; currency: string; amount: bigint; confirmations: number }): Promise<unknown>;
}

export interface SenderOptions {
  readonly chain: Chain;
  readonly signer: Signer;
  /** The sandbox's own chain: transactions are sent through its journal, and it is mined until they are confirmed. */
  readonly devChain?: TestChain | undefined;
  /** By the database's clock; after that a transaction that no block took is replaced by one that offers more. */
  readonly stuckAfterMs?: number | undefined;
}

export interface Context extends SenderOptions {
  readonly deps: Deps;
  readonly wallets: Wallets;
  readonly coin: Asset;
  /** Logs a warning, the same one once a minute at most: the loop comes by four times a second. */
  warn(about: string, fields: object, message: string): void;
}

/** Transactions that no block has yet, as of this round; those signed in it are added. */
export type Unmined = readonly TransferRow[];

const SAY_AGAIN_AFTER_MS = 60_000;

export function createContext(deps: Deps, options: SenderOptions, wallets: Wallets): Context {
  const { network } = options.chain.adapter;
  const said = new Map<string, number>();
  return {
    ...options,
    deps,
    wallets,
    coin: assetOf({ currency: NETWORKS[network].coin, network }),
    warn: (about, fields, message) => {
      const now = performance.now();
      for (const [key, at] of said) if (now - at > SAY_AGAIN_AFTER_MS) said.delete(key);
      if (said.has(about)) return;
      said.set(about, now);
      deps.log.warn({ network, ...fields }, message);
    },
  };
}
