// What the gateway needs to know of any chain: public knowledge only, no secret, no network by name.

import type { BlockHead, BlockRef, ChainBlock, Mempool, Next, Receipt, Transfer, TxState } from './blocks.ts';
import type {
  Curve,
  Fees,
  ExpiringTransaction,
  PaidOutput,
  Quote,
  SpentOutput,
  TransactionRequest,
  UnsignedTransaction,
  UnspentOutput,
  Validity,
} from './transactions.ts';
import type { DerivationAccount, Network } from '../values/assets.ts';

/** An address as customers see it (`address`, e.g. EIP-55) and as rows are found by it (`key`, e.g. lower case). */
export interface ParsedAddress {
  readonly address: string;
  readonly key: string;
}

/** What paying out needs of any chain. None of it holds a secret: what is to be signed goes out, and signatures come in. */
export interface ChainSender {
  /** The address that belongs to a public key: compressed (33 bytes), or 32 bytes on ed25519. */
  addressOf(publicKey: Uint8Array): ParsedAddress;
  /**
   * Hands a signed transaction to the node: `known` when it had it. Throws `TransactionRefused` when the node will not
   * have it as things stand, which says nothing about whether it, or a rival of it, is mined already.
   */
  broadcast(raw: string): Promise<'sent' | 'known'>;
  /**
   * Null while it is in no block. `recipientKey` is whom it was signed to pay: where accounts are handed from one key to
   * another, what arrived in theirs counts as paid to them.
   */
  receipt(txHash: string, recipientKey?: string): Promise<Receipt | null>;
  /**
   * The height up to which the chain itself calls its blocks final: no reorganisation takes them away any more. Null where
   * the chain, or the node, does not say: then a number of blocks on top has to do.
   */
  finalizedHeight(): Promise<number | null>;
}

/** Paying out where money belongs to accounts, each transaction moving it from one of them to another. */
export interface AccountSender extends ChainSender {
  readonly model: 'ACCOUNT';
  readonly curve: Curve;
  /**
   * What addresses hold, in base units, by `addressKeys`: at the tip, or after the block at a height, which nodes answer
   * for the last hundred blocks or so.
   */
  balances(addressKeys: readonly string[], currency: string, height?: number): Promise<ReadonlyMap<string, bigint>>;
  /** Who pays what the chain takes: the account that sends, or the gas wallet beside it (`TransactionRequest.payer`). */
  readonly feePayer: 'SENDER' | 'GAS_WALLET';
  /**
   * Whether a waiting transaction can be outbid by another with its nonce. Where it cannot, transactions are anchored to
   * a moment and expire instead.
   */
  readonly replaceable: boolean;
  /** What an account must keep of the coin unless it keeps nothing at all, in base units; 0 where there is no such rule. */
  readonly reserve: bigint;
  /**
   * How many transactions of each address are mined at the tip, which is the nonce that the chain takes next; 0 where
   * the chain has no such thing: then the numbers are only our own.
   */
  nonces(addressKeys: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** The same with what the node has waiting counted in. Absent where nothing is counted. */
  pendingNonces?(addressKeys: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** The longest time for which a block may take what was signed; null where that does not end by itself. */
  readonly validity: Validity | null;
  /** What to offer now; with `above`, enough more than that to replace a waiting transaction. */
  fees(above?: Fees): Promise<Fees>;
  /**
   * What a transfer takes, with a margin. Throws `TransactionRefused` (`REVERTED`) when it would fail. With a control,
   * which is a transfer that nobody else has a say in, a failure is judged by asking the same node for that one:
   * `REVERTED` with the node's newest block when the control goes well, so that it is the transfer's own fault; `SENDER`
   * when the control is refused too; and what was thrown before where it is the node's fault.
   */
  quote(request: TransactionRequest, control?: TransactionRequest): Promise<Quote>;
  /** Pure: asks nobody, so that it can be done while a nonce is locked. */
  buildTransaction(request: TransactionRequest & { nonce: number; quote: Quote }): UnsignedTransaction;
  /**
   * Whether a transaction is in no block and can be in none any more, by what is final; never true in doubt. One node
   * answers the whole question: two that are not equally far would contradict each other.
   */
  hasExpired(transfer: ExpiringTransaction): Promise<boolean>;
}

/** Paying out where money lies in outputs of transactions, each spent whole and once. */
export interface UtxoSender extends ChainSender {
  readonly model: 'OUTPUTS';
  /** Where the account's keys are, e.g. `m/84'/0'/0'`: it follows from the kind of addresses and the chain. */
  readonly accountPath: string;
  /**
   * Those of some outputs that the chain's state has, at the tip; with `at`, null when the tip is another block. What
   * waits to be mined is left out of account.
   */
  unspent(outpoints: readonly string[], at?: BlockRef): Promise<ReadonlyMap<string, UnspentOutput> | null>;
  /** The price of a virtual byte; with `above`, enough more than that to replace a waiting transaction. */
  fees(above?: Fees): Promise<Fees>;
  /** The least amount that nodes pass on to an address. Throws where it is none. */
  dustOf(address: string): bigint;
  /** Virtual bytes of a transaction with so many of our outputs spent, at most. */
  sizeOf(inputs: number, recipients: readonly string[]): bigint;
  /** Pure. What the outputs leave over is the fee. */
  buildSpend(inputs: readonly SpentOutput[], outputs: readonly PaidOutput[]): UnsignedTransaction;
  /** What a transaction pays to whom: by the outputs' places in it. */
  outputsOf(raw: string): readonly { readonly ordinal: number; readonly addressKey: string; readonly amount: bigint }[];
  /** A transaction, waiting or mined, as it is sent; null where the node does not have it. */
  rawTransaction(txHash: string): Promise<string | null>;
  /** What a transaction of ours spends, as `Transfer.spends` has it. */
  spendsOf(raw: string): string;
}

/** One of several nodes. It is named by its place in the configuration: its URL may hold a key. */
export interface NodeState {
  readonly name: string;
  /** `wrong`: not what it should be, and looked at again; `dropped`: contradicted by two others, and not asked any more. */
  readonly state: 'up' | 'resting' | 'wrong' | 'dropped';
  /** Of its tip, when it last told it. */
  readonly height: number | null;
  /** Of an answer, smoothed. */
  readonly latencyMs: number | null;
}

/** What a wallet is to be asked for. */
export interface UriRequest {
  readonly address: string;
  readonly currency: string;
  /** Base units. */
  readonly amount: bigint;
  /** For networks whose transactions can name what they pay. */
  readonly orderId: string;
}

/** What watching needs of any chain. Any method that asks the node may throw `ChainUnavailable`. */
export interface ChainReader {
  readonly network: Network;
  /** The account that its addresses come from; networks of one account have the same addresses. */
  readonly account: DerivationAccount;
  /** Whether addresses are derived from the account's extended public key, or taken from a pool that the signer fills. */
  readonly addresses: 'DERIVED' | 'POOLED';
  /** Currencies this deployment can take on the network, each with its contract (null for the coin). */
  readonly contracts: ReadonlyMap<string, string | null>;
  /** True on a development chain that mines on demand: its tip's block time stands still while nothing happens. */
  readonly minesOnDemand: boolean;

  /** The receiving address at `index` below an account-level extended public key (BIP-44 external chain, `0/index`). */
  derive(xpub: string, index: number): ParsedAddress;
  /** Reads an address as a person writes it; null when it is not one, a bad checksum included. */
  parseAddress(text: string): ParsedAddress | null;
  /** A payment URI for wallets, e.g. EIP-681. */
  paymentUri(request: UriRequest): string;

  /** Checks that the node is reachable and on the right chain; throws with the reason. */
  verify(): Promise<void>;
  tip(): Promise<BlockHead>;
  /** The head at a height on the canonical chain, null above the tip. */
  headAt(height: number): Promise<BlockHead | null>;
  /** The block after the cursor, by parent hash. */
  next(cursor: BlockRef): Promise<Next>;
  /**
   * The blocks at so many heights, far enough below the tip that nobody replaces them, each whole; fewer where heights
   * have none. Whether they follow upon one another is for the reader to see by their hashes. To catch up by; absent where
   * a kind reads one after the other.
   */
  following?(height: number, count: number, tipHeight: number): Promise<readonly ChainBlock[]>;
  isCanonical(ref: BlockRef): Promise<boolean>;
  mempool(): Promise<Mempool>;
  txState(txHash: string): Promise<TxState>;
  /**
   * Where a transaction lost its place to another: the height, at most `upTo`, of the canonical block that holds another
   * transaction with the same `spends` (of `Transfer`). It may be told too high, never too low. Null while what it
   * spends is unused, and when the transaction is mined itself.
   */
  conflictAt(transaction: { readonly txHash: string; readonly spends: string }, upTo: number): Promise<number | null>;
  /**
   * Has another node show the same block with these transfers. Throws `ChainUnavailable` until one does. Absent where
   * there is only one node.
   */
  requireQuorum?(block: ChainBlock, transfers: readonly Transfer[]): Promise<void>;
  /**
   * Whether an address can be paid a currency as it is; false where an account has to be opened for it at the payer's
   * expense. Absent where recipients need none.
   */
  hasAccount?(address: string, currency: string): Promise<boolean>;
  /** Each node behind this adapter, where there are several. */
  nodes?(): readonly NodeState[];
  /**
   * Asks one node after the other until two give the same answer, and throws `ChainUnavailable` when no two do. Answers
   * are compared as JSON. Absent where there is only one node.
   */
  agreed?<Answer>(question: (node: ChainAdapter) => Promise<Answer>): Promise<Answer>;
}

export type AccountAdapter = ChainReader & AccountSender;

export type UtxoAdapter = ChainReader & UtxoSender;

/** The one interface behind which every network stands: what it reads, and how it pays. */
export type ChainAdapter = AccountAdapter | UtxoAdapter;
