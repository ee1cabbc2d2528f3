// UTXO addresses: parses them from text and writes them from scripts. An address key is the script in hex, because one
// script can have several spellings as an address.

import { bech32, bech32m } from '@scure/base';
import { createHash } from 'node:crypto';
import type { ParsedAddress } from '../adapter.ts';
import { decodeBase58Check, encodeBase58Check } from '../base58.ts';
import type { ChainParams } from './params.ts';

/** No address is longer (BIP-173). */
const MAX_LENGTH = 90;

type Chain = Pick<ChainParams, 'hrp' | 'pubKeyHash' | 'scriptHash'>;

/** Null if it is not an address of this chain, or its checksum is wrong. */
export function parseUtxoAddress(chain: Chain, text: string): ParsedAddress | null {
  if (text.length > MAX_LENGTH) return null;
  const script = readWitnessAddress(chain, text) ?? readBase58Address(chain, text);
  return script === null ? null : fromScript(chain, script);
}

/** The address of a script; null for scripts without one. */
export function addressOfScript(chain: Chain, script: string): ParsedAddress | null {
  return fromScript(chain, Buffer.from(script, 'hex'));
}

/** The script that pays to the hash of a compressed public key (P2WPKH, BIP-141). */
export function keyHashScript(publicKey: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from([0x00, 20]), hash160(publicKey)]);
}

/** The script that pays to a taproot output key (P2TR, BIP-341). */
export function taprootScript(outputKey: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from([0x51, 32]), outputKey]);
}

/** RIPEMD-160 of SHA-256. */
export function hash160(bytes: Uint8Array): Buffer {
  return createHash('ripemd160').update(createHash('sha256').update(bytes).digest()).digest();
}

/** The version and program of a witness script (BIP-141); null for any other script. */
export function witnessOf(script: Buffer): { version: number; program: Buffer } | null {
  const [opcode = 0, length = 0] = script;
  const version = opcode === 0 ? 0 : opcode - 0x50;
  if (version < 0 || version > 16 || script.length !== length + 2 || length < 2 || length > 40) return null;
  return { version, program: script.subarray(2) };
}

/** `bc1…`: version 0 uses Bech32 and has 20 or 32 bytes (BIP-173); later versions use Bech32m (BIP-350). */
function readWitnessAddress({ hrp }: Chain, text: string): Buffer | null {
  const words = decodeWords(text, hrp);
  if (!words) return null;
  const [version = 17, ...rest] = words.words;
  const program = bytesOf(rest);
  if (!program || version > 16 || words.isBech32m !== version > 0) return null;
  if (program.length < 2 || program.length > 40) return null;
  if (version === 0 && program.length !== 20 && program.length !== 32) return null;
  return Buffer.concat([Buffer.from([version === 0 ? 0 : 0x50 + version, program.length]), program]);
}

function decodeWords(text: string, hrp: string): { words: number[]; isBech32m: boolean } | null {
  for (const [coder, isBech32m] of [[bech32, false] as const, [bech32m, true] as const]) {
    const decoded = coder.decodeUnsafe(text);
    if (decoded) return decoded.prefix === hrp ? { words: [...decoded.words], isBech32m } : null;
  }
  return null;
}

/** Null if the padding is too long or not zero. */
function bytesOf(words: readonly number[]): Uint8Array | null {
  try {
    return bech32.fromWords([...words]);
  } catch {
    return null;
  }
}

function readBase58Address({ pubKeyHash, scriptHash }: Chain, text: string): Buffer | null {
  const payload = decodeBase58Check(text);
  if (payload === null) return null;
  const [version = -1] = payload;
  const hash = payload.subarray(1);
  if (hash.length !== 20) return null;
  // P2PKH: OP_DUP OP_HASH160 … OP_EQUALVERIFY OP_CHECKSIG. P2SH: OP_HASH160 … OP_EQUAL (BIP-16).
  if (pubKeyHash.includes(version))
    return Buffer.concat([Buffer.from([0x76, 0xa9, 20]), hash, Buffer.from([0x88, 0xac])]);
  if (scriptHash.includes(version)) return Buffer.concat([Buffer.from([0xa9, 20]), hash, Buffer.from([0x87])]);
  return null;
}

function fromScript({ hrp, pubKeyHash, scriptHash }: Chain, script: Buffer): ParsedAddress | null {
  const key = script.toString('hex');
  const witness = witnessOf(script);
  if (witness) {
    const coder = witness.version === 0 ? bech32 : bech32m;
    return { address: coder.encode(hrp, [witness.version, ...coder.toWords(witness.program)]), key };
  }
  const base58 = (version: number | undefined, from: number) =>
    encodeBase58Check(Buffer.concat([Buffer.from([version ?? 0]), script.subarray(from, from + 20)]));
  if (/^76a914.{40}88ac$/.test(key)) return { address: base58(pubKeyHash[0], 3), key };
  if (/^a914.{40}87$/.test(key)) return { address: base58(scriptHash[0], 2), key };
  return null;
}
