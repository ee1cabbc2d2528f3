// Raw transactions and blocks as nodes send them (BIP-144, and Litecoin's LIP-2 on top): bytes only, so that no amount
// ever passes through a float, and every hash is computed here instead of believed.

import { createHash } from 'node:crypto';
import { InvalidResponse } from '../invalid-response.ts';

/** An output of a transaction that another one spends. */
export interface Outpoint {
  readonly txHash: string;
  readonly index: number;
}

export interface RawOutput {
  /** Base units. */
  readonly amount: bigint;
  /** Lower-case hex of the script that guards it. */
  readonly script: string;
}

export interface RawTransaction {
  /** The transaction's id: its hash without witnesses and extension data. */
  readonly hash: string;
  readonly inputs: readonly Outpoint[];
  readonly outputs: readonly RawOutput[];
  /** Whether it makes new coins for a miner. */
  readonly isCoinbase: boolean;
  /** Whether it is the one in which a block's extension block pays out (LIP-2). */
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

/** Parses one transaction, which is all of the bytes. */
export function parseTransaction(bytes: Buffer, options: Options): RawTransaction {
  const reader = createReader(bytes);
  const transaction = readTransaction(reader, options, true);
  if (reader.left() !== 0) throw new InvalidResponse('there is more behind the transaction');
  return transaction;
}

/**
 * Parses a block and holds it against its own header: its transactions must have the header's Merkle root. What follows
 * the transactions is Litecoin's extension block, whose payments show in the last transaction.
 */
export function parseBlock(bytes: Buffer, options: Options): RawBlock {
  if (bytes.length < HEADER_BYTES) throw new InvalidResponse('a block is longer than that');
  const reader = createReader(bytes);
  const header = reader.take(HEADER_BYTES);
  const count = reader.count();
  const transactions: RawTransaction[] = [];
  for (let index = 0; index < count; index += 1) transactions.push(readTransaction(reader, options, false));
  if (reader.left() !== 0 && !(options.hasExtensionBlocks && transactions.at(-1)?.isPegOut === true))
    throw new InvalidResponse('there is more behind the block');
  if (!merkleRoot(transactions).equals(header.subarray(36, 68)))
    throw new InvalidResponse('the block holds other transactions than its header says');
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

/** As text, hashes are written backwards. */
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
    throw new InvalidResponse('the transaction has a flag that is not known');
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
 * Passes over the extension data of a transaction that waits to be mined: all but the lock time at its end. In blocks it
 * is absent, and the flag then marks the transaction that pays out of the extension block.
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

  /** A compact size: no more than there are bytes left, so that a lie costs no memory. */
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

/** The root that a header commits to. A list whose two last pairs are alike is how blocks were once forged (CVE-2012-2459). */
function merkleRoot(transactions: readonly RawTransaction[]): Buffer {
  let level: Buffer[] = transactions.map(({ hash }) => Buffer.from(hash, 'hex').reverse());
  while (level.length > 1) {
    const next: Buffer[] = [];
    for (let index = 0; index < level.length; index += 2) {
      const left = level[index] ?? Buffer.alloc(0);
      const right = level[index + 1];
      if (right?.equals(left) === true) throw new InvalidResponse('the block holds a transaction twice');
      next.push(doubleSha256(Buffer.concat([left, right ?? left])));
    }
    level = next;
  }
  return level[0] ?? Buffer.alloc(32);
}
