// Parses raw UTXO transactions and blocks (BIP-144, with Litecoin's LIP-2). Works on bytes, so that no amount passes
// through a float, and every hash is computed instead of trusted.

import { createHash } from 'node:crypto';
import { InvalidResponse } from '../invalid-response.ts';

/** Names an output of a transaction. */
export interface Outpoint {
  readonly txHash: string;
  readonly index: number;
}

export interface RawOutput {
  /** Base units. */
  readonly amount: bigint;
  /** The locking script in lower-case hex. */
  readonly script: string;
}

export interface RawTransaction {
  /** The transaction id: the hash without witnesses and extension data. */
  readonly hash: string;
  readonly inputs: readonly Outpoint[];
  readonly outputs: readonly RawOutput[];
  readonly isCoinbase: boolean;
  /** Whether it is the transaction through which the extension block pays out (LIP-2). */
  readonly isPegOut: boolean;
}

export interface RawBlock {
  readonly hash: string;
  readonly parentHash: string;
  readonly time: Date;
  readonly transactions: readonly RawTransaction[];
}

const HEADER_BYTES = 80;
const NO_HASH = '0'.repeat(64);
const WITNESS_FLAG = 1;
const EXTENSION_FLAG = 8;

interface Options {
  /** Whether flag 8 may be set (LIP-2). */
  readonly hasExtensionBlocks: boolean;
}

/** Throws if bytes are left over. */
export function parseTransaction(bytes: Buffer, options: Options): RawTransaction {
  const reader = createReader(bytes);
  const transaction = readTransaction(reader, options, true);
  if (reader.left() !== 0) throw new InvalidResponse('there are bytes after the transaction');
  return transaction;
}

/**
 * Parses a block and checks the Merkle root of its header. Bytes after the transactions are Litecoin's extension block,
 * whose payments to the main chain are in the last transaction.
 */
export function parseBlock(bytes: Buffer, options: Options): RawBlock {
  if (bytes.length < HEADER_BYTES) throw new InvalidResponse('the block is shorter than its header');
  const reader = createReader(bytes);
  const header = reader.take(HEADER_BYTES);
  const count = reader.count();
  const transactions: RawTransaction[] = [];
  for (let index = 0; index < count; index += 1) transactions.push(readTransaction(reader, options, false));
  if (reader.left() !== 0 && !(options.hasExtensionBlocks && transactions.at(-1)?.isPegOut === true))
    throw new InvalidResponse('there are bytes after the block');
  if (!merkleRoot(transactions).equals(header.subarray(36, 68)))
    throw new InvalidResponse('the transactions do not match the Merkle root');
  return {
    hash: hashToText(doubleSha256(header)),
    parentHash: hashToText(header.subarray(4, 36)),
    time: new Date(header.readUInt32LE(68) * 1_000),
    transactions,
  };
}

export function doubleSha256(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(createHash('sha256').update(bytes).digest()).digest();
}

/** As text, hashes are in reverse byte order. */
export function hashToText(hash: Uint8Array): string {
  return Buffer.from(hash).reverse().toString('hex');
}

function readTransaction(reader: Reader, options: Options, isAlone: boolean): RawTransaction {
  const version = reader.take(4);
  const bodyStart = reader.position();
  let flags = 0;
  let inputs = readInputs(reader);
  let outputs: RawOutput[] = [];
  let body: Buffer;
  if (inputs.length > 0) {
    outputs = readOutputs(reader);
    body = reader.since(bodyStart);
  } else {
    flags = reader.byte();
    const start = reader.position();
    if (flags !== 0) {
      inputs = readInputs(reader);
      outputs = readOutputs(reader);
    }
    body = flags === 0 ? Buffer.from([0, 0]) : reader.since(start);
  }
  if ((flags & WITNESS_FLAG) !== 0) for (let left = inputs.length; left > 0; left -= 1) skipWitness(reader);
  const isPegOut = (flags & EXTENSION_FLAG) !== 0 && options.hasExtensionBlocks && readExtension(reader, isAlone);
  if ((flags & ~(WITNESS_FLAG | (options.hasExtensionBlocks ? EXTENSION_FLAG : 0))) !== 0)
    throw new InvalidResponse('the transaction has an unknown flag');
  const lockTime = reader.take(4);
  const [first] = inputs;
  return {
    hash: hashToText(doubleSha256(Buffer.concat([version, body, lockTime]))),
    inputs,
    outputs,
    isCoinbase: inputs.length === 1 && first?.txHash === NO_HASH,
    isPegOut,
  };
}

/**
 * Skips the extension data of a waiting transaction: everything up to the lock time at its end. In a block the data is
 * absent, and the flag marks the transaction that pays out of the extension block. Answers whether it is that one.
 */
function readExtension(reader: Reader, isAlone: boolean): boolean {
  if (reader.byte() === 0) return true;
  if (!isAlone) throw new InvalidResponse('a transaction in a block carries extension data');
  reader.take(reader.left() - 4);
  return false;
}

function readInputs(reader: Reader): Outpoint[] {
  const count = reader.count();
  const inputs: Outpoint[] = [];
  for (let position = 0; position < count; position += 1) {
    const txHash = hashToText(reader.take(32));
    const index = reader.take(4).readUInt32LE();
    reader.take(reader.count());
    reader.take(4);
    inputs.push({ txHash, index });
  }
  return inputs;
}

function readOutputs(reader: Reader): RawOutput[] {
  const count = reader.count();
  const outputs: RawOutput[] = [];
  for (let position = 0; position < count; position += 1) {
    const amount = reader.take(8).readBigUInt64LE();
    outputs.push({ amount, script: reader.take(reader.count()).toString('hex') });
  }
  return outputs;
}

function skipWitness(reader: Reader): void {
  for (let items = reader.count(); items > 0; items -= 1) reader.take(reader.count());
}

type Reader = ReturnType<typeof createReader>;

function createReader(bytes: Buffer) {
  let offset = 0;

  function take(length: number): Buffer {
    if (length < 0 || offset + length > bytes.length) throw new InvalidResponse('the data ends too soon');
    offset += length;
    return bytes.subarray(offset - length, offset);
  }

  /** Reads a compact size. It cannot exceed the bytes left, so a false one cannot exhaust memory. */
  function count(): number {
    const first = take(1).readUInt8();
    if (first < 0xfd) return first;
    const value = first === 0xfd ? take(2).readUInt16LE() : first === 0xfe ? take(4).readUInt32LE() : Infinity;
    if (value > bytes.length - offset) throw new InvalidResponse('a count is larger than the data');
    return value;
  }

  return {
    take,
    count,
    byte: () => take(1).readUInt8(),
    left: () => bytes.length - offset,
    position: () => offset,
    since: (start: number) => bytes.subarray(start, offset),
  };
}

/** Throws if two neighbours are identical, which could be used to forge a block (CVE-2012-2459). */
function merkleRoot(transactions: readonly RawTransaction[]): Buffer {
  let level: Buffer[] = transactions.map(({ hash }) => Buffer.from(hash, 'hex').reverse());
  while (level.length > 1) {
    const next: Buffer[] = [];
    for (let index = 0; index < level.length; index += 2) {
      const left = level[index] ?? Buffer.alloc(0);
      const right = level[index + 1];
      if (right?.equals(left) === true) throw new InvalidResponse('the block contains a transaction twice');
      next.push(doubleSha256(Buffer.concat([left, right ?? left])));
    }
    level = next;
  }
  return level[0] ?? Buffer.alloc(32);
}
