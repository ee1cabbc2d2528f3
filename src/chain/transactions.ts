// The types for making transactions: requests, fees, quotes, and unsigned transactions.

/** The price offered per unit of gas, in base units of the coin. */
export interface Fees {
  readonly maxPerGas: bigint;
  /** The part for the block producer (EIP-1559); null on networks with a single price. */
  readonly tipPerGas: bigint | null;
}

/** A payment from one of our addresses. */
export interface TransactionRequest {
  /** The sender, in canonical form. */
  readonly from: string;
  /** The recipient, in any form that `parseAddress` accepts. */
  readonly to: string;
  readonly currency: string;
  /** Base units. */
  readonly amount: bigint;
  /** The address that pays the network fee and signs too, in canonical form; only if `feePayer` is `GAS_WALLET`. */
  readonly payer?: string;
}

/** The longest validity of a signed transaction: in blocks, or in milliseconds of block time. */
export type Validity = { readonly blocks: number } | { readonly ms: number };

/** Ties a transaction to a moment of its chain, after which it expires. */
export interface Anchor {
  /** What the transaction includes, e.g. the hash of a recent block. */
  readonly reference: string;
  /** The unit of `validUntil`: `HEIGHT` in blocks, which is not signed, or `TIME` in milliseconds, which is. */
  readonly ends: 'HEIGHT' | 'TIME';
  /** The last height or time at which a block may include it. */
  readonly validUntil: number;
}

/** A signed transaction that expires. `raw` is empty if it is not known. */
export interface ExpiringTransaction {
  readonly txHash: string;
  readonly validUntil: number;
  readonly raw: string;
}

/** What a payment costs if sent now. */
export interface Quote {
  /** The most units of work it may use: gas, energy, compute units, or virtual bytes. */
  readonly gas: bigint;
  readonly fees: Fees;
  /** Costs beyond gas × price, in base units of the coin: a rollup's data fee, an account's rent. */
  readonly surcharge: bigint;
  /** Null if a signed transaction does not expire. */
  readonly anchor: Anchor | null;
  /** Whether the transaction opens a token account for the recipient, at our expense. */
  readonly opensAccount?: boolean;
  /** The token's program and decimals, where the signed bytes include them; building then asks no node. */
  readonly token?: { readonly program: string; readonly decimals: number };
}

/** The highest possible network fee, in base units of the coin, without the amount paid. */
export function maxCostOf({ gas, fees, surcharge }: Omit<Quote, 'anchor'>): bigint {
  return gas * fees.maxPerGas + surcharge;
}

/** The curve of a chain's keys. */
export type Curve = 'secp256k1' | 'ed25519';

/** A signature by one of our keys. */
export interface Signature {
  /** 64 bytes: r and s of ECDSA in low-S form, or R and S of Ed25519. */
  readonly compact: Uint8Array;
  /** On secp256k1 it identifies the public key: the parity of R's y, plus 2 if r overflowed. 0 on ed25519. */
  readonly recoveryId: number;
}

/** A transaction that lacks only its signatures. */
export interface UnsignedTransaction {
  /**
   * What each address key must sign, in the order of the signatures that `finish` takes: a 32-byte digest, or the whole
   * message on ed25519. `TAPROOT`: sign with the taproot output key (BIP-341, no scripts) by BIP-340.
   */
  readonly toSign: readonly {
    readonly signer: string;
    readonly message: Uint8Array;
    readonly scheme?: 'TAPROOT';
  }[];
  finish(signatures: readonly Signature[]): { readonly raw: string; readonly txHash: string };
}

/** An output that no mined transaction has spent, named `<transaction>:<index>`. */
export interface UnspentOutput {
  /** Base units. */
  readonly amount: bigint;
  /** Including its own block. */
  readonly confirmations: number;
  /** False while it cannot be spent yet, such as a young coinbase output. */
  readonly isMature: boolean;
}

/** One of our outputs, to be spent by a transaction. */
export interface SpentOutput {
  readonly outpoint: string;
  readonly amount: bigint;
  /** The address that signs for it. */
  readonly addressKey: string;
  /** Compressed, 33 bytes. */
  readonly publicKey: Uint8Array;
}

/** An output to be created; `to` in any form that `parseAddress` accepts, `amount` in base units. */
export interface PaidOutput {
  readonly to: string;
  readonly amount: bigint;
}
