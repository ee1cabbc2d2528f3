// TRON transactions as bytes: what is signed, hashed and sent. The numbers of the fields are those of java-tron's
// `Tron.proto`, `balance_contract.proto` and `smart_contract.proto`.

import { createHash } from 'node:crypto';
import { bytesIn, decodeMessage, encodeMessage, numberIn, type Field, type Message } from './protobuf.ts';

/** Contract types (`Transaction.Contract.ContractType`) that we write or read. */
const TRANSFER_CONTRACT = 1n;
const TRIGGER_SMART_CONTRACT = 31n;
/**
 * Kinds that name something else before their owner: an asset (`TransferAssetContract`), or a text that their sender chooses
 * (`AccountUpdateContract`, `SetAccountIdContract`), which may be anybody's address.
 */
const OWNER_IS_SECOND: ReadonlySet<bigint> = new Set([2n, 10n, 19n]);
const TYPE_URL = 'type.googleapis.com/protocol.';

/** What a transaction does: it pays the coin, or calls a contract. Addresses are 21 bytes. */
export type Contract =
  | { readonly type: 'TRANSFER'; readonly owner: Uint8Array; readonly to: Uint8Array; readonly amount: bigint }
  | { readonly type: 'TRIGGER'; readonly owner: Uint8Array; readonly contract: Uint8Array; readonly data: Uint8Array };

/** The part that is signed (`Transaction.raw`). Times are milliseconds of the chain's clock. */
export interface RawTransaction {
  /** The 32 bytes of a block on whose chain alone the transaction is valid; its height is their first eight. */
  readonly refBlock: Uint8Array;
  readonly expiration: bigint;
  /** Nobody checks it; it tells apart what would be the same transaction otherwise. */
  readonly timestamp: bigint;
  readonly contract: Contract;
  /** The most that a contract's energy may cost, in sun; the coin's own transfer has none. */
  readonly feeLimit: bigint;
}

/** Writes what is to be signed. */
export function encodeRaw({ refBlock, expiration, timestamp, contract, feeLimit }: RawTransaction): Buffer {
  return encodeMessage([
    [1, refBlock.subarray(6, 8)],
    [4, refBlock.subarray(8, 16)],
    [8, expiration],
    [11, encodeContract(contract)],
    [14, timestamp],
    [18, feeLimit],
  ]);
}

function encodeContract(contract: Contract): Buffer {
  const isTransfer = contract.type === 'TRANSFER';
  const fields: Field[] = isTransfer
    ? [
        [1, contract.owner],
        [2, contract.to],
        [3, contract.amount],
      ]
    : [
        [1, contract.owner],
        [2, contract.contract],
        [4, contract.data],
      ];
  const name = isTransfer ? 'TransferContract' : 'TriggerSmartContract';
  const parameter = encodeMessage([
    [1, Buffer.from(TYPE_URL + name)],
    [2, encodeMessage(fields)],
  ]);
  return encodeMessage([
    [1, isTransfer ? TRANSFER_CONTRACT : TRIGGER_SMART_CONTRACT],
    [2, parameter],
  ]);
}

/** A transaction's id: what is signed is its digest. */
export function transactionId(raw: Uint8Array): Buffer {
  return createHash('sha256').update(raw).digest();
}

/** The whole transaction, as it is sent; a signature is r, s and v, 65 bytes. */
export function encodeSigned(raw: Uint8Array, signature: Uint8Array): Buffer {
  return encodeMessage([
    [1, raw],
    [2, signature],
  ]);
}

/** The result that a block adds to each transaction is paid for too, at this size (`MAX_RESULT_SIZE_IN_TX`). */
const RESULT_BYTES = 64;

/** How many bytes of bandwidth a transaction takes. */
export function bandwidthOf(raw: Uint8Array): number {
  return encodeSigned(raw, new Uint8Array(65)).length + RESULT_BYTES;
}

/** The coin that a transaction pays, read from its signed bytes; null for every other kind of transaction. */
export function readCoinTransfer(raw: Uint8Array): { to: Buffer; amount: bigint } | null {
  const contract = decodeMessage(bytesIn(decodeMessage(raw), 11));
  if (kindOf(contract) !== TRANSFER_CONTRACT) return null;
  const parameter = decodeMessage(bytesIn(contract, 2));
  const transfer = decodeMessage(bytesIn(parameter, 2));
  return { to: bytesIn(transfer, 2), amount: numberIn(transfer, 3) };
}

/** As the network reads it, which drops all but 32 bits of an enumeration's number. */
const kindOf = (contract: Message): bigint => BigInt.asUintN(32, numberIn(contract, 1));

/** Whose transaction it is, 21 bytes, read from its signed bytes. */
export function readOwner(raw: Uint8Array): Buffer {
  const contract = decodeMessage(bytesIn(decodeMessage(raw), 11));
  const parameter = decodeMessage(bytesIn(decodeMessage(bytesIn(contract, 2)), 2));
  return bytesIn(parameter, OWNER_IS_SECOND.has(kindOf(contract)) ? 2 : 1);
}
