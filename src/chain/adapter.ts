// `ChainAdapter`: the interface behind which every network stands. It holds no secret and names no network.

import type { BlockHead, BlockRef, ChainBlock, Mempool, Next, Receipt, Transfer, TxState } from './blocks.ts';
import type {
  Curve,
  ExpiringTransaction,
  Fees,
  PaidOutput,
  Quote,
  SpentOutput,
  TransactionRequest,
  UnsignedTransaction,
  UnspentOutput,
  Validity,
} from './transactions.ts';
import type { DerivationAccount, Network } from '../values/assets.ts';

/**
 * An address as shown to people (`address`, e.g. with EIP-55 case) and in its canonical form (`key`, e.g. lower case).
 */
export interface ParsedAddress {
  readonly address: string;
  readonly key: string;
}

/** The paying side of an adapter. It hands out what must be signed and takes signatures back; it never sees a key. */
export interface ChainSender {
  /** The address of a public key: compressed (33 bytes), or 32 bytes for ed25519. */
  addressOf(publicKey: Uint8Array): ParsedAddress;
  /**
   * Sends a signed transaction to the node. Answers `known` if the node already had it. Throws `TransactionRefused` if
   * the node rejects it, which does not tell whether it, or one that conflicts with it, is already mined.
   */
  broadcast(raw: string): Promise<'sent' | 'known'>;
  /**
   * Null while the transaction is in no block. `recipientKey` is the address it was signed to pay: where token accounts
   * can change their owner, money that reached the recipient's account still counts as paid to them.
   */
  receipt(txHash: string, recipientKey?: string): Promise<Receipt | null>;
  /**
   * The height up to which the chain declares its blocks final. Null if the chain or the node does not say; then a
   * number of confirmations has to do.
   */
  finalizedHeight(): Promise<number | null>;
}

/** Pays on account-based chains, where each transaction moves money from one account to another. */
export interface AccountSender extends ChainSender {
  readonly model: 'ACCOUNT';
  readonly curve: Curve;
  /**
   * Balances in base units by address key: at the tip, or after the block at `height`. Nodes keep old states for only
   * about a hundred blocks.
   */
  balances(addressKeys: readonly string[], currency: string, height?: number): Promise<ReadonlyMap<string, bigint>>;
  /** How many addresses to ask for at a time where there are many: all answers must be of one block. */
  readonly balancesAtOnce: number;
  /** Which address pays the network fee: the sender, or a separate gas wallet (`TransactionRequest.payer`). */
  readonly feePayer: 'SENDER' | 'GAS_WALLET';
  /**
   * Whether a higher fee with the same nonce can replace a waiting transaction. Where it cannot, transactions are
   * anchored to a moment and expire.
   */
  readonly replaceable: boolean;
  /** The least coin balance of an account that is not empty, in base units; 0 where there is no such rule. */
  readonly reserve: bigint;
  /**
   * The next nonce of each address: the number of its transactions that are mined at the tip. 0 where the chain has no
   * nonces; then only our own numbers count.
   */
  nonces(addressKeys: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** The next nonces including the node's waiting transactions. Absent where the chain has no nonces. */
  pendingNonces?(addressKeys: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** How long a signed transaction stays valid; null if it does not expire. */
  readonly validity: Validity | null;
  /** The fees to offer now; with `above`, high enough to replace a waiting transaction that offers those. */
  fees(above?: Fees): Promise<Fees>;
  /**
   * What a transaction costs, with a margin. Throws `TransactionRefused` (`REVERTED`) if it would fail. `control` is a
   * transaction that only we influence. If the request fails, the same node is asked for the control to find out why:
   * if that succeeds, the request itself is at fault (`REVERTED`, with the node's newest block); if that is rejected
   * too, the sender is (`SENDER`); if the node fails, the first error is thrown.
   */
  quote(request: TransactionRequest, control?: TransactionRequest): Promise<Quote>;
  /** Asks no node, so that it can run while a nonce is locked. */
  buildTransaction(request: TransactionRequest & { nonce: number; quote: Quote }): UnsignedTransaction;
  /**
   * Whether a transaction is in no final block and can never be in one. False if in doubt. One node must answer the
   * whole question: two that are at different heights could contradict each other.
   */
  hasExpired(transaction: ExpiringTransaction): Promise<boolean>;
}

/** Pays on UTXO chains, where transactions spend whole outputs of earlier transactions. */
export interface UtxoSender extends ChainSender {
  readonly model: 'OUTPUTS';
  /** The derivation path of the account, e.g. `m/84'/0'/0'`, which depends on the address type and the chain. */
  readonly accountPath: string;
  /**
   * Those of the given outputs that are unspent at the tip; with `at`, null if the tip is another block. Transactions
   * in the mempool are ignored.
   */
  unspent(outpoints: readonly string[], at?: BlockRef): Promise<ReadonlyMap<string, UnspentOutput> | null>;
  /** The fee per virtual byte; with `above`, high enough to replace a waiting transaction that offers that. */
  fees(above?: Fees): Promise<Fees>;
  /** The smallest amount that nodes relay to an address. Throws if the address is invalid. */
  dustOf(address: string): bigint;
  /** The most virtual bytes that a transaction with so many of our inputs takes. */
  sizeOf(inputs: number, recipients: readonly string[]): bigint;
  /** Asks no node. The fee is what the inputs exceed the outputs by. */
  buildSpend(inputs: readonly SpentOutput[], outputs: readonly PaidOutput[]): UnsignedTransaction;
  /** The outputs of a raw transaction, by their index. */
  outputsOf(raw: string): readonly { readonly ordinal: number; readonly addressKey: string; readonly amount: bigint }[];
  /** The raw transaction, waiting or mined; null if the node does not have it. */
  rawTransaction(txHash: string): Promise<string | null>;
  /** What one of our transactions spends, in the form of `Transfer.spends`. */
  spendsOf(raw: string): string;
}

/** One of several nodes, named by its position in the configuration because its URL may contain a key. */
export interface NodeState {
  readonly name: string;
  /** `wrong`: misconfigured or faulty, checked again; `dropped`: contradicted by two others and never asked again. */
  readonly state: 'up' | 'resting' | 'wrong' | 'dropped';
  /** The height of its tip when last asked. */
  readonly height: number | null;
  /** Moving average of its response time. */
  readonly latencyMs: number | null;
}

/** A payment that a wallet is asked for. */
export interface UriRequest {
  readonly address: string;
  readonly currency: string;
  /** Base units. */
  readonly amount: bigint;
  /** For networks whose transactions can carry a reference. */
  readonly orderId: string;
}

/** A payment that a wallet is asked for, and the address that it pays from. */
export interface WalletRequest extends UriRequest {
  readonly payer: string;
}

/** The watching side of an adapter. Every method that asks a node may throw `ChainUnavailable`. */
export interface ChainReader {
  readonly network: Network;
  /** The account its addresses are derived from; networks of one account share their addresses. */
  readonly account: DerivationAccount;
  /**
   * Whether addresses are derived from the account's extended public key, or taken from a pool that the signer fills.
   */
  readonly addresses: 'DERIVED' | 'POOLED';
  /** The currencies accepted on the network, each with its token contract (null for the coin). */
  readonly contracts: ReadonlyMap<string, string | null>;
  /** True on a development chain that mines on demand: the time of its tip stands still while nothing happens. */
  readonly minesOnDemand: boolean;

  /** The receiving address at `index` below an account-level extended public key (BIP-44 external chain, `0/index`). */
  derive(xpub: string, index: number): ParsedAddress;
  /** Parses an address as people write it; null if it is invalid, including its checksum. */
  parseAddress(text: string): ParsedAddress | null;
  /** The address with this key as shown to people; null if the key has none. */
  addressFor(key: string): string | null;
  /** A payment URI for wallets, e.g. EIP-681. */
  paymentUri(request: UriRequest): string;

  /**
   * The unsigned transaction of a payment, base64, for the payer's own wallet. Absent where wallets make their
   * transactions themselves. Throws `ChainUnavailable`.
   */
  walletTransaction?(request: WalletRequest): Promise<string>;

  /** Checks that the node is reachable and on the right chain; throws with the reason. */
  verify(): Promise<void>;
  tip(): Promise<BlockHead>;
  /** The canonical block's head at a height; null above the tip. */
  headAt(height: number): Promise<BlockHead | null>;
  /** The block after the cursor, matched by its parent hash. */
  next(cursor: BlockRef): Promise<Next>;
  /**
   * Several consecutive blocks at once, for catching up far below the tip, where no reorganisation reaches. Fewer than
   * `count` where heights have no block. The caller checks their parent hashes. Absent where the adapter reads blocks
   * one by one.
   */
  following?(height: number, count: number, tipHeight: number): Promise<readonly ChainBlock[]>;
  isCanonical(ref: BlockRef): Promise<boolean>;
  mempool(): Promise<Mempool>;
  txState(txHash: string): Promise<TxState>;
  /**
   * The height, at most `upTo`, of the canonical block with another transaction that has the same `spends` (as in
   * `Transfer`), so that this one can no longer be mined. It may be too high, but never too low. Null while there is no
   * such conflict, and if the transaction itself is mined.
   */
  conflictAt(transaction: { readonly txHash: string; readonly spends: string }, upTo: number): Promise<number | null>;
  /**
   * Returns once another node shows the same block with these transfers; throws `ChainUnavailable` until then. Absent
   * with a single node.
   */
  requireQuorum?(block: ChainBlock, transfers: readonly Transfer[]): Promise<void>;
  /**
   * Whether the address can receive the currency without the payer opening an account for it first. Absent on chains
   * without such accounts.
   */
  hasAccount?(address: string, currency: string): Promise<boolean>;
  /** The state of each node, if there are several. */
  nodes?(): readonly NodeState[];
  /**
   * Asks nodes in turn until two give the same answer, compared as JSON; throws `ChainUnavailable` if no two do. Absent
   * with a single node.
   */
  agreed?<Answer>(question: (node: ChainAdapter) => Promise<Answer>): Promise<Answer>;
}

export type AccountAdapter = ChainReader & AccountSender;

export type UtxoAdapter = ChainReader & UtxoSender;

/** Everything the gateway does with a network: reading it and paying on it. */
export type ChainAdapter = AccountAdapter | UtxoAdapter;
