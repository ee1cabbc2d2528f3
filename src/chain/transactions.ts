// What is asked of a chain to sign a transaction, and what it is made of.

/** What a transaction may cost per unit of gas, in base units of the coin. */
export interface Fees {
  readonly maxPerGas: bigint;
  /** For the block's producer (EIP-1559); null on a network that has one price. */
  readonly tipPerGas: bigint | null;
}

/** A payment out of one of our addresses. */
export interface TransactionRequest {
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

/** How long a signed transaction is valid at most: so many blocks, or milliseconds by the times of blocks. */
export type Validity = { readonly blocks: number } | { readonly ms: number };

/** Ties a transaction to a moment of its chain, after which no block can take it. */
export interface Anchor {
  /** What goes into the transaction, e.g. the hash of a recent block. */
  readonly reference: string;
  /** What `validUntil` counts: blocks, which is not part of what is signed, or milliseconds, which is. */
  readonly ends: 'HEIGHT' | 'TIME';
  /** The last moment at which a block may take it. */
  readonly validUntil: number;
}

/** A signed transaction that ends by itself; `raw` is what is sent, empty where it is not known. */
export interface ExpiringTransaction {
  readonly txHash: string;
  readonly validUntil: number;
  readonly raw: string;
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
  /** Whether the recipient has no account for it yet, so that the transfer opens one, at our expense. */
  readonly opensAccount?: boolean;
  /** A token's program and decimals, where what is signed names them: it is built without asking a node. */
  readonly token?: { readonly program: string; readonly decimals: number };
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
export interface UnsignedTransaction {
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

/** An output that no transaction in a block has spent, named `<transaction>:<index>`. */
export interface UnspentOutput {
  /** Base units. */
  readonly amount: bigint;
  /** Blocks on it, its own counted. */
  readonly confirmations: number;
  /** False while it has to ripen first: new coins of a miner, and the like. */
  readonly isMature: boolean;
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
