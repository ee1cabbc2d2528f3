// Encodes Solana transactions: instructions, the message to sign, and the signed transaction. Not done with a library,
// because the libraries derive addresses asynchronously, and transactions are built while a database row is locked.

import { COMPUTE_BUDGET_PROGRAM, ASSOCIATED_TOKEN_PROGRAM, bytesOfAddress, SYSTEM_PROGRAM } from './address.ts';
import { encodeBase58 } from '../base58.ts';

interface AccountUse {
  readonly key: string;
  readonly signs: boolean;
  readonly writes: boolean;
}

export interface Instruction {
  readonly program: string;
  readonly accounts: readonly AccountUse[];
  readonly data: Uint8Array;
}

const signer = (key: string): AccountUse => ({ key, signs: true, writes: true });
const written = (key: string): AccountUse => ({ key, signs: false, writes: true });
const read = (key: string): AccountUse => ({ key, signs: false, writes: false });

/** Transfers the coin (system program, instruction 2). */
export function transferCoin(from: string, to: string, lamports: bigint): Instruction {
  const data = Buffer.alloc(12);
  data.writeUInt32LE(2, 0);
  data.writeBigUInt64LE(lamports, 4);
  return { program: SYSTEM_PROGRAM, accounts: [signer(from), written(to)], data };
}

export interface TokenRef {
  readonly mint: string;
  readonly program: string;
  readonly decimals: number;
}

/** Creates an owner's token account if it does not exist (associated token program, instruction 1). */
export function createTokenAccount(payer: string, account: string, owner: string, token: TokenRef): Instruction {
  return {
    program: ASSOCIATED_TOKEN_PROGRAM,
    accounts: [
      ...[signer(payer), written(account), read(owner), read(token.mint)],
      ...[read(SYSTEM_PROGRAM), read(token.program)],
    ],
    data: Buffer.of(1),
  };
}

/** Transfers a token; fails if it does not have these decimals (token program, instruction 12). */
export function transferToken(
  { from, owner, to, units }: { from: string; owner: string; to: string; units: bigint },
  { mint, program, decimals }: TokenRef,
): Instruction {
  const data = Buffer.alloc(10);
  data.writeUInt8(12, 0);
  data.writeBigUInt64LE(units, 1);
  data.writeUInt8(decimals, 9);
  const authority = { key: owner, signs: true, writes: false };
  return { program, accounts: [written(from), read(mint), written(to), authority], data };
}

/** Sets the compute unit limit and the price in microlamports (compute budget program, instructions 2 and 3). */
export function computeBudget(units: number, microLamports: bigint): Instruction[] {
  const limit = Buffer.alloc(5);
  limit.writeUInt8(2, 0);
  limit.writeUInt32LE(units, 1);
  const price = Buffer.alloc(9);
  price.writeUInt8(3, 0);
  price.writeBigUInt64LE(microLamports, 1);
  return [limit, price].map((data) => ({ program: COMPUTE_BUDGET_PROGRAM, accounts: [], data }));
}

/** A message and its signers in the order of their signatures; the first one pays the fee. */
export interface Message {
  readonly bytes: Buffer;
  readonly signers: readonly string[];
}

/** Encodes a legacy message. Every account is listed once, signers first. */
export function encodeMessage(payer: string, blockhash: string, instructions: readonly Instruction[]): Message {
  const uses = new Map<string, AccountUse>();
  const programs = instructions.map(({ program }) => read(program));
  for (const use of [signer(payer), ...instructions.flatMap(({ accounts }) => accounts), ...programs]) {
    const previous = uses.get(use.key);
    const signs = use.signs || previous?.signs === true;
    uses.set(use.key, { key: use.key, signs, writes: use.writes || previous?.writes === true });
  }
  const all = [...uses.values()];
  const part = (signs: boolean, writes: boolean) => all.filter((use) => use.signs === signs && use.writes === writes);
  const parts = [part(true, true), part(true, false), part(false, true), part(false, false)];
  const keys = parts.flat().map(({ key }) => key);
  const [signing = [], reading = [], , others = []] = parts;
  const place = (key: string) => keys.indexOf(key);
  return {
    signers: [...signing, ...reading].map(({ key }) => key),
    bytes: Buffer.concat([
      Buffer.of(signing.length + reading.length, reading.length, others.length),
      list(keys.map(bytesOfAddress)),
      bytesOfAddress(blockhash),
      list(
        instructions.map(({ program, accounts, data }) =>
          Buffer.concat([
            Buffer.of(place(program)),
            list(accounts.map(({ key }) => Buffer.of(place(key)))),
            shortLength(data.length),
            data,
          ]),
        ),
      ),
    ]),
  };
}

export function encodeTransaction({ bytes }: Message, signatures: readonly Uint8Array[]): Buffer {
  return Buffer.concat([list(signatures), bytes]);
}

/** The recent blockhash in one of our transactions; null if its bytes are not known. */
export function readBlockhash(raw: string): string | null {
  const bytes = Buffer.from(raw, 'base64');
  if (bytes.length === 0) return null;
  const signatures = readShortLength(bytes, 0);
  // Three account counts follow the signatures.
  const keys = readShortLength(bytes, signatures.end + signatures.length * 64 + 3);
  const start = keys.end + keys.length * 32;
  return encodeBase58(bytes.subarray(start, start + 32));
}

/** A transaction's id is its first signature. */
export const transactionId = (signature: Uint8Array): string => encodeBase58(signature);

function list(parts: readonly Uint8Array[]): Buffer {
  return Buffer.concat([shortLength(parts.length), ...parts]);
}

function readShortLength(bytes: Uint8Array, start: number): { readonly length: number; readonly end: number } {
  let length = 0;
  for (let end = start, shift = 0; ; shift += 7) {
    const byte = bytes[end++];
    if (byte === undefined) throw new Error('One of our transactions is truncated');
    length |= (byte & 0x7f) << shift;
    if (byte < 0x80) return { length, end };
  }
}

/** Encodes a length in one to three bytes, seven bits each. */
function shortLength(length: number): Buffer {
  const bytes: number[] = [];
  for (let rest = length; ; rest >>= 7) {
    if (rest < 0x80) return Buffer.from([...bytes, rest]);
    bytes.push((rest & 0x7f) | 0x80);
  }
}
