// Executes transactions on litesvm, which runs the network's own virtual machine and token programs, and records what
// they did to the accounts that they name.

import {
  getTransactionDecoder,
  getCompiledTransactionMessageDecoder,
  type Address,
  type EncodedAccount,
} from '@solana/kit';
import { FailedTransactionMetadata, LiteSVM } from 'litesvm';
import { encodeBase58 } from '../../../src/chain/base58.ts';

/** What a node reports of a mined transaction. */
export interface Executed {
  readonly id: string;
  readonly raw: Buffer;
  readonly signatures: readonly string[];
  readonly blockhash: string;
  /** The accounts of the message, then those that it looked up. */
  readonly keys: readonly string[];
  /** The accounts that it looked up in tables; null if the message has no version. */
  readonly loaded: Loaded | null;
  readonly err: unknown;
  readonly fee: number;
  readonly before: readonly number[];
  readonly after: readonly number[];
  readonly tokensBefore: readonly object[];
  readonly tokensAfter: readonly object[];
}

interface Loaded {
  readonly writable: readonly string[];
  readonly readonly: readonly string[];
}

export interface Svm {
  readonly lite: LiteSVM;
  /** Null if the network would not accept it into a block at all. */
  execute(raw: Buffer): Executed | null;
  /** Executes what was executed on another branch, and records nothing. */
  replay(raw: Buffer): void;
  /** The result of executing it, without keeping it. */
  simulate(raw: Buffer): { err: unknown; units: number };
  set(account: EncodedAccount): void;
}

const TOKEN_PROGRAMS = ['TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb'];

/** Reads a transaction with the code of Solana's own library. */
export function decode(raw: Buffer) {
  const transaction = getTransactionDecoder().decode(raw);
  const message = getCompiledTransactionMessageDecoder().decode(transaction.messageBytes);
  const signatures = Object.values(transaction.signatures).map((bytes) => encodeBase58(bytes ?? new Uint8Array(64)));
  const lifetime = 'lifetimeToken' in message ? message.lifetimeToken : '';
  return { transaction, message, signatures, blockhash: String(lifetime), keys: message.staticAccounts.map(String) };
}

/** The offset of a lookup table's addresses. */
const TABLE_HEADER = 56;
/** The byte after a token account of the plain size says what the account is: 2 is a token account with extensions. */
const KIND = { at: 165, tokenAccount: 2 };

export function createSvm(genesis: readonly EncodedAccount[]): Svm {
  // The chain around it checks blockhashes and repeats.
  const lite = new LiteSVM().withBlockhashCheck(false).withTransactionHistory(0n);
  const set = (account: EncodedAccount) => lite.setAccount(account);
  genesis.forEach(set);

  const lamportsOf = (key: string) => Number(lite.getBalance(key as Address) ?? 0n);
  const tokensOf = (keys: readonly string[]) =>
    keys.flatMap((key, accountIndex) => {
      const account = lite.getAccount(key as Address);
      if (!account.exists || !TOKEN_PROGRAMS.includes(account.programAddress) || account.data.length < KIND.at)
        return [];
      const data = Buffer.from(account.data);
      if (data.length > KIND.at && data[KIND.at] !== KIND.tokenAccount) return [];
      const amount = data.readBigUInt64LE(64).toString();
      const [mint, owner] = [encodeBase58(data.subarray(0, 32)), encodeBase58(data.subarray(32, 64))];
      return [{ accountIndex, mint, owner, programId: account.programAddress, uiTokenAmount: { amount, decimals: 6 } }];
    });

  /** As the network resolves them: first the writable addresses of all tables, then the read-only ones. */
  function lookUp({ message }: ReturnType<typeof decode>): Loaded | null {
    if (message.version === 'legacy') return null;
    const lookups = ('addressTableLookups' in message ? message.addressTableLookups : undefined) ?? [];
    const named = (table: Address, indexes: readonly number[]) => {
      const account = lite.getAccount(table);
      const data = Buffer.from(account.exists ? account.data : []).subarray(TABLE_HEADER);
      return indexes.map((index) => encodeBase58(data.subarray(32 * index, 32 * index + 32)));
    };
    return {
      writable: lookups.flatMap((one) => named(one.lookupTableAddress, one.writableIndexes)),
      readonly: lookups.flatMap((one) => named(one.lookupTableAddress, one.readonlyIndexes)),
    };
  }

  return {
    ...{ lite, set },
    execute: (raw) => {
      const decoded = decode(raw);
      const { transaction, signatures, blockhash } = decoded;
      const loaded = lookUp(decoded);
      const keys = [...decoded.keys, ...(loaded?.writable ?? []), ...(loaded?.readonly ?? [])];
      const [before, tokensBefore] = [keys.map(lamportsOf), tokensOf(keys)];
      const result = lite.sendTransaction(transaction);
      const [after, tokensAfter] = [keys.map(lamportsOf), tokensOf(keys)];
      const sum = (units: readonly number[]) => units.reduce((total, one) => total + one, 0);
      const fee = sum(before) - sum(after);
      if (fee === 0) return null;
      const err = result instanceof FailedTransactionMetadata ? errorOf(result) : null;
      const balances = { before, after, tokensBefore, tokensAfter };
      return { id: signatures[0] ?? '', raw, signatures, blockhash, keys, loaded, err, fee, ...balances };
    },
    replay: (raw) => void lite.sendTransaction(getTransactionDecoder().decode(raw)),
    simulate: (raw) => {
      lite.withSigverify(false);
      const result = lite.simulateTransaction(decode(raw).transaction);
      lite.withSigverify(true);
      const err = result instanceof FailedTransactionMetadata ? errorOf(result) : null;
      return { err, units: Number(result.meta().computeUnitsConsumed()) };
    },
  };
}

/** An error as nodes write it, from the virtual machine's printed form. */
function errorOf(result: FailedTransactionMetadata): unknown {
  const text = result.toString();
  const instruction = /err: InstructionError\((\d+), (?:Custom\((\d+)\)|(\w+))/.exec(text);
  if (instruction) {
    const [, index, custom, name] = instruction;
    return { InstructionError: [Number(index), custom === undefined ? name : { Custom: Number(custom) }] };
  }
  const [, name = 'Unknown', index] = /err: (\w+)(?: \{ account_index: (\d+) \})?/.exec(text) ?? [];
  return index === undefined ? name : { [name]: { account_index: Number(index) } };
}
