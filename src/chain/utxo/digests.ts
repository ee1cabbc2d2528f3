// The digests that the signatures of a spend commit to: BIP-143 for P2WPKH, BIP-341 for a P2TR key. What all inputs
// share is hashed once; hashing it for each input, as @scure/btc-signer does, takes seconds for 500 inputs.

import { createHash } from 'node:crypto';
import { OutScript, type Transaction } from '@scure/btc-signer';
import { hash160 } from './address.ts';
import { taggedHash } from './derive.ts';
import { doubleSha256 } from './transaction.ts';

/** `SIGHASH_ALL`: the signature commits to all inputs and outputs. In BIP-341, the default stands for it. */
const SIGHASH_ALL = 1;

/** What an input spends: the output's script, its amount in base units, and the compressed key that it pays. */
export interface SpentScript {
  readonly script: Uint8Array;
  readonly amount: bigint;
  readonly publicKey: Uint8Array;
}

/** The digest of the input at a position. */
export type DigestOf = (position: number) => Uint8Array;

/** Digests of version 0 witnesses with `SIGHASH_ALL` (BIP-143). */
export function witnessDigests(transaction: Transaction, spent: readonly SpentScript[]): DigestOf {
  const { outpoints, sequences } = readInputs(transaction);
  const before = [
    uint32(transaction.version),
    doubleSha256(Buffer.concat(outpoints)),
    doubleSha256(Buffer.concat(sequences)),
  ];
  const after = [doubleSha256(serializeOutputs(transaction)), uint32(transaction.lockTime), uint32(SIGHASH_ALL)];
  return (position) => {
    const { amount, publicKey } = at(spent, position);
    const code = withLength(keyHashCode(publicKey));
    const own = [at(outpoints, position), code, uint64(amount), at(sequences, position)];
    return doubleSha256(Buffer.concat([...before, ...own, ...after]));
  };
}

/** Digests of key path spends with the default hash type (BIP-341). */
export function taprootDigests(transaction: Transaction, spent: readonly SpentScript[]): DigestOf {
  const { outpoints, sequences } = readInputs(transaction);
  const shared = Buffer.concat([
    Buffer.of(0, 0), // Epoch and hash type.
    ...[uint32(transaction.version), uint32(transaction.lockTime)],
    sha256(outpoints),
    sha256(spent.map(({ amount }) => uint64(amount))),
    sha256(spent.map(({ script }) => withLength(script))),
    sha256(sequences),
    sha256([serializeOutputs(transaction)]),
    Buffer.of(0), // By the key, without an annex.
  ]);
  return (position) => taggedHash('TapSighash', Buffer.concat([shared, uint32(position)]));
}

/** The script code that a P2WPKH signature commits to: that of P2PKH (BIP-143). */
function keyHashCode(publicKey: Uint8Array): Uint8Array {
  return OutScript.encode({ type: 'pkh', hash: Uint8Array.from(hash160(publicKey)) });
}

function readInputs(transaction: Transaction) {
  const inputs = Array.from({ length: transaction.inputsLength }, (_, position) => transaction.getInput(position));
  return {
    outpoints: inputs.map(({ txid = new Uint8Array(), index = 0 }) =>
      Buffer.concat([Buffer.from(txid).reverse(), uint32(index)]),
    ),
    sequences: inputs.map(({ sequence = 0xffff_ffff }) => uint32(sequence)),
  };
}

function serializeOutputs(transaction: Transaction): Buffer {
  const outputs = Array.from({ length: transaction.outputsLength }, (_, position) => transaction.getOutput(position));
  return Buffer.concat(
    outputs.flatMap(({ amount = 0n, script = new Uint8Array() }) => [uint64(amount), withLength(script)]),
  );
}

/** Preceded by its length, which takes one byte up to 252. No address has a longer script. */
function withLength(script: Uint8Array): Buffer {
  if (script.length > 252) throw new Error('A script is too long');
  return Buffer.concat([Buffer.of(script.length), script]);
}

const sha256 = (parts: readonly Uint8Array[]): Buffer => createHash('sha256').update(Buffer.concat(parts)).digest();

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function uint64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return bytes;
}

function at<T>(values: readonly T[], position: number): T {
  const value = values[position];
  if (value === undefined) throw new Error(`There is no input ${String(position)}`);
  return value;
}
