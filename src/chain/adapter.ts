// What the gateway needs to know of any chain: public knowledge only, no secret, no network by name.

import type { DerivationAccount, Network } from '../values/assets.ts';

/** A point on a chain. The hash is what identifies it; the height only says where to look. */
export interface BlockRef {
  readonly hash: string;
  readonly height: number;
}

/** A block's head: `time` is what its producer wrote. */
export interface BlockHead extends BlockRef {
  readonly parentHash: string;
  readonly time: Date;
}

/** One movement of a supported asset to an address, found in a block or in the mempool. */
export interface Transfer {
  readonly txHash: string;
  /**
   * Position within the transaction, the same wherever the transaction is mined. On EVM networks 0 is the coin itself,
   * 1 + n its n-th log, 1,000,000 + n the n-th payment of the coin that contracts made while it ran; where money lies in
   * outputs, the output's index.
   */
  readonly ordinal: number;
  /** The receiving address in its canonical form (`ParsedAddress.key`). */
  readonly addressKey: string;
  readonly currency: string;
  /** Base units, greater than zero. */
  readonly amount: bigint;
  /**
   * What the transaction uses up, so that no other transaction that uses it can be mined beside it: on EVM networks
   * `<sender>:<nonce>`, lower case; where money lies in outputs, those outputs, comma-separated. Absent where the chain has no such thing, or the node does not say.
   */
  readonly spends?: string;
}

/** A block with every transfer of supported assets in it, failed transactions left out. */
export interface ChainBlock extends BlockHead {
  readonly transfers: readonly Transfer[];
}

/** What follows a cursor: the next block, nothing yet (`tip` is the cursor itself), or the news that the cursor left the chain. */
export type Next =
  | { readonly kind: 'block'; readonly block: ChainBlock; readonly tipHeight: number }
  | { readonly kind: 'tip'; readonly tip: BlockHead }
  | { readonly kind: 'reorganised' };

/** An address as customers see it (`address`, e.g. EIP-55) and as rows are found by it (`key`, e.g. lower case). */
export interface ParsedAddress {
  readonly address: string;
  readonly key: string;
}

/** Where a transaction stands: unknown to the node, waiting, or in a block (with whether it succeeded). */
export type TxState =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'mempool' }
  | { readonly kind: 'mined'; readonly block: BlockRef; readonly succeeded: boolean };

/** What a transaction may cost per unit of gas, in base units of the coin. */
export interface Fees {
  readonly maxPerGas: bigint;
  /** For the block's producer (EIP-1559); null on a network that has one price. */
  readonly tipPerGas: bigint | null;
}

/** A payment out of one of our addresses. */
export interface TransferRequest {
  /** The sender, in canonical form. */
  readonly from: string;
  /** The recipient; any form that `parseAddress` reads. */
  readonly to: string;
  readonly currency: string;
  /** Base units. */
  readonly amount: bigint;
  /** Who pays what the chain takes and signs too, in canonical form; only where `feePayer` is `GAS_WALLET`. */
  readonly payer?: string;
}

/** Ties a transaction to a moment of its chain, after which no block can take it. */
export interface Anchor {
  /** What goes into the transaction, e.g. the hash of a recent block. */
  readonly reference: string;
  /** The last moment at which a block may take it: a height or milliseconds, as the adapter counts. */
  readonly validUntil: number;
}

/** What sending a payment now would take. */
export interface Quote {
  /** Units of work bought at most: gas, energy, compute units, virtual bytes. */
  readonly gas: bigint;
  readonly fees: Fees;
  /** What the chain may take besides gas × price, in base units of the coin: a rollup's fee for data, an account's rent. */
  readonly surcharge: bigint;
  /** Null where a signed transaction stays valid until what it spends is spent. */
  readonly anchor: Anchor | null;
}

/** The most that the chain may take, in base units of the coin; what is paid is not part of it. */
export function maxCostOf({ gas, fees, surcharge }: Omit<Quote, 'anchor'>): bigint {
  return gas * fees.maxPerGas + surcharge;
}

/** What kind of keys a chain's addresses have. */
export type Curve = 'secp256k1' | 'ed25519';

/** A signature by a key of ours: 64 bytes, and on secp256k1 which of the candidate public keys signed. */
export interface Signature {
  /** r and s of ECDSA in its low-S form, 32 bytes each; R and S of Ed25519. */
  readonly compact: Uint8Array;
  /** The parity of R's y coordinate, plus 2 where r overflowed; 0 on ed25519. */
  readonly recoveryId: number;
}

/** A transaction that only lacks its signatures. */
export interface UnsignedTransfer {
  /**
   * Who signs what, in the order in which `finish` takes the signatures: address keys, and 32-byte digests, or on
   * ed25519 the whole message. `TAPROOT`: by the key's taproot output key (BIP-341, no scripts) with a signature of BIP-340.
   */
  readonly toSign: readonly {
    readonly signer: string;
    readonly message: Uint8Array;
    readonly scheme?: 'TAPROOT';
  }[];
  finish(signatures: readonly Signature[]): { readonly raw: string; readonly txHash: string };
}

/** What became of a mined transaction. */
export interface Receipt {
  readonly block: BlockRef;
  readonly succeeded: boolean;
  /** What the chain took, in base units of the coin. */
  readonly cost: bigint;
  /** The token transfers that it made, by its logs; the coin that it moved itself is not among them. */
  readonly paid: readonly Transfer[];
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
  /** Null while it is in no block. */
  receipt(txHash: string): Promise<Receipt | null>;
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
  /** Who pays what the chain takes: the account that sends, or the gas wallet beside it (`TransferRequest.payer`). */
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
  /** What to offer now; with `above`, enough more than that to replace a waiting transaction. */
  fees(above?: Fees): Promise<Fees>;
  /** What a transfer takes, with a margin. Throws `TransactionRefused` (`REVERTED`) when it would fail. */
  quote(request: TransferRequest): Promise<Quote>;
  /** Pure: asks nobody, so that it can be done while a nonce is locked. */
  buildTransfer(request: TransferRequest & { nonce: number; quote: Quote }): UnsignedTransfer;
  /**
   * Whether a transaction is in no block and can be in none any more, by what is final; never true in doubt. One node
   * answers the whole question: two that are not equally far would contradict each other.
   */
  isDead(transfer: { readonly txHash: string; readonly validUntil: number }): Promise<boolean>;
}

/** An output that no transaction in a block has spent, named `<transaction>:<index>`. */
export interface UnspentOutput {
  /** Base units. */
  readonly amount: bigint;
  /** Blocks on it, its own counted. */
  readonly confirmations: number;
  /** False while it has to ripen first: new coins of a miner, and the like. */
  readonly isRipe: boolean;
}

/** An output of ours that a transaction is to spend. */
export interface SpentOutput {
  readonly outpoint: string;
  readonly amount: bigint;
  /** Who signs for it. */
  readonly addressKey: string;
  /** Compressed, 33 bytes. */
  readonly publicKey: Uint8Array;
}

/** A payment within a transaction; `to` in any form that `parseAddress` reads, `amount` in base units. */
export interface PaidOutput {
  readonly to: string;
  readonly amount: bigint;
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
  buildSpend(inputs: readonly SpentOutput[], outputs: readonly PaidOutput[]): UnsignedTransfer;
  /** What a transaction of ours spends, as `Transfer.spends` has it. */
  spendsOf(raw: string): string;
}

/**
 * Why a node refuses a transaction: its nonce was used, the sender cannot pay, it offers too little, it would fail, its
 * time is over.
 */
export type Refusal = 'NONCE' | 'FUNDS' | 'FEES' | 'REVERTED' | 'EXPIRED';

/** The node will not have a transaction, for a reason that it gave. */
export class TransactionRefused extends Error {
  constructor(
    readonly network: Network,
    readonly reason: Refusal,
    options?: { cause?: unknown },
  ) {
    super(`${network}: the node refuses the transaction (${reason})`, options);
    this.name = 'TransactionRefused';
  }
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
  /** Transfers in transactions that are not mined yet, as far as the node shows them. */
  mempool(): Promise<readonly Transfer[]>;
  txState(txHash: string): Promise<TxState>;
  /**
   * Where a transaction lost its place to another: the height, at most `upTo`, of the canonical block that holds another
   * transaction with the same `spends` (of `Transfer`). It may be told too high, never too low. Null while what it
   * spends is unused, and when the transaction is mined itself.
   */
  displacedAt(transaction: { readonly txHash: string; readonly spends: string }, upTo: number): Promise<number | null>;
  /**
   * Has another node show the same block with these transfers. Throws `ChainUnavailable` until one does. Absent where
   * there is only one node.
   */
  attest?(block: ChainBlock, transfers: readonly Transfer[]): Promise<void>;
  /** Each node behind this adapter, where there are several. */
  nodes?(): readonly NodeState[];
}

export type AccountAdapter = ChainReader & AccountSender;
export type UtxoAdapter = ChainReader & UtxoSender;

/** The one interface behind which every network stands: what it reads, and how it pays. */
export type ChainAdapter = AccountAdapter | UtxoAdapter;

/** The node did not answer, or answered with an error: the state of things is unknown, to be asked again. */
export class ChainUnavailable extends Error {
  /** After which the node wants to be asked again (HTTP's Retry-After); null where it did not say. */
  readonly retryAfterMs: number | null;

  constructor(
    readonly network: Network,
    message: string,
    options?: { cause?: unknown; retryAfterMs?: number | null },
  ) {
    super(`${network}: ${message}`, options);
    this.name = 'ChainUnavailable';
    this.retryAfterMs = options?.retryAfterMs ?? null;
  }
}

/** The node answers for another moment than the one asked for, which is to be asked for anew. */
export class StateNotKept extends ChainUnavailable {
  constructor(network: Network, height: number) {
    super(network, `the node does not have the state of block ${String(height)} at hand`);
    this.name = 'StateNotKept';
  }
}
