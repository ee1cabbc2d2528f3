// Encodes TRON transactions and reads the sender and coin payment of others. Field numbers are from java-tron's
// `Tron.proto`, `balance_contract.proto` and `smart_contract.proto`.

import { createHash } from 'node:crypto';
import { bytesIn, decodeMessage, encodeMessage, numberIn, type Field, type Message } from './protobuf.ts';

/** The supported contract types (`Transaction.Contract.ContractType`). */
const TRANSFER_CONTRACT = 1n;
const TRIGGER_SMART_CONTRACT = 31n;
/**
 * Types whose first field is not the owner but an asset (`TransferAssetContract`) or a text chosen by the sender
 * (`AccountUpdateContract`, `SetAccountIdContract`), which could be somebody else's address.
 */
const OWNER_IS_SECOND: ReadonlySet<bigint> = new Set([2n, 10n, 19n]);
const TYPE_URL = 'type.googleapis.com/protocol.';

/** What a transaction does: transfer the coin, or call a contract. Addresses are 21 bytes. */
export type Contract =
  | { readonly type: 'TRANSFER'; readonly owner: Uint8Array; readonly to: Uint8Array; readonly amount: bigint }
  | { readonly type: 'TRIGGER'; readonly owner: Uint8Array; readonly contract: Uint8Array; readonly data: Uint8Array };

/** The signed part (`Transaction.raw`). Times are in milliseconds. */
export interface RawTransaction {
  /** The 32-byte id of a block; the transaction is valid only on its chain. The first eight bytes are its height. */
  readonly refBlock: Uint8Array;
  readonly expiration: bigint;
  /** Not checked by the network; makes otherwise identical transactions distinct. */
  readonly timestamp: bigint;
  readonly contract: Contract;
  /** The most that a contract's energy may cost, in sun; 0 for a coin transfer. */
  readonly feeLimit: bigint;
}

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

/** The transaction id, which is also the digest to sign. */
export function transactionId(raw: Uint8Array): Buffer {
  return createHash('sha256').update(raw).digest();
}

/** The signed transaction to send. The signature is r, s and v, 65 bytes. */
export function encodeSigned(raw: Uint8Array, signature: Uint8Array): Buffer {
  return encodeMessage([
    [1, raw],
    [2, signature],
  ]);
}

/** The result that a block adds to a transaction also costs bandwidth (`MAX_RESULT_SIZE_IN_TX`). */
const RESULT_BYTES = 64;

/** The bytes of bandwidth that a transaction costs. */
export function bandwidthOf(raw: Uint8Array): number {
  return encodeSigned(raw, new Uint8Array(65)).length + RESULT_BYTES;
}

/** The coin payment in a transaction's signed bytes; null for any other kind of transaction. */
export function readCoinTransfer(raw: Uint8Array): { to: Buffer; amount: bigint } | null {
  const contract = decodeMessage(bytesIn(decodeMessage(raw), 11));
  if (kindOf(contract) !== TRANSFER_CONTRACT) return null;
  const parameter = decodeMessage(bytesIn(contract, 2));
  const transfer = decodeMessage(bytesIn(parameter, 2));
  return { to: bytesIn(transfer, 2), amount: numberIn(transfer, 3) };
}

/** Keeps only 32 bits of the enumeration's number, as the network does. */
const kindOf = (contract: Message): bigint => BigInt.asUintN(32, numberIn(contract, 1));

/** The sender's 21 bytes, from a transaction's signed bytes. */
export function readOwner(raw: Uint8Array): Buffer {
  const contract = decodeMessage(bytesIn(decodeMessage(raw), 11));
  const parameter = decodeMessage(bytesIn(decodeMessage(bytesIn(contract, 2)), 2));
  return bytesIn(parameter, OWNER_IS_SECOND.has(kindOf(contract)) ? 2 : 1);
}
