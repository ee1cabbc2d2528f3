// A Solana node with generated blocks as large as the main network's: 1,500 transactions and 900 votes, in the form of
// `transactionDetails: accounts`.

import { associatedTokenAccount, SYSTEM_PROGRAM, TOKEN_PROGRAM } from '../../../src/chain/solana/address.ts';
import { encodeBase58 } from '../../../src/chain/base58.ts';
import type { Answer, ChainTask } from '../task.ts';
import { digest, keyOf, ourKey, rowOf, SKIPPED_EVERY, SOLANA_USDT, TRANSFERRED } from '../deposits.ts';

const TRANSACTIONS = 1_500;
const VOTES = 900;
/** The number of accounts that a transaction names, some of which hold tokens. */
const ACCOUNTS = { transfer: 6, program: 18, vote: 4 };

const hashAt = (slot: number): string => encodeBase58(digest(`slot ${String(slot)}`));
const idOf = (text: string): string => encodeBase58(Buffer.concat([digest(text), digest(`${text}.`)]));

/** Whether a slot has no block. */
export const isSkipped = (slot: number): boolean => slot % SKIPPED_EVERY === 13;
const parentOf = (slot: number): number => (isSkipped(slot - 1) ? slot - 2 : slot - 1);

interface Tokens {
  readonly position: number;
  readonly owner: string;
  readonly mint: string;
  readonly had: bigint;
  readonly has: bigint;
}

function transaction(name: string, accounts: readonly string[], tokens: readonly Tokens[]): string {
  const balances = accounts.map((_, position) => 2_039_280 + position * 1_000_003);
  const told = (units: 'had' | 'has') =>
    tokens.map((one) => ({
      ...{ accountIndex: one.position, mint: one.mint, owner: one.owner, programId: TOKEN_PROGRAM },
      uiTokenAmount: {
        ...{ amount: String(one[units]), decimals: 6, uiAmount: Number(one[units]) / 1e6 },
        uiAmountString: String(Number(one[units]) / 1e6),
      },
    }));
  return JSON.stringify({
    meta: {
      ...{ err: null, fee: 5_000, status: { Ok: null } },
      postBalances: balances.map((held, position) => (position === 0 ? held - 5_000 : held)),
      postTokenBalances: told('has'),
      preBalances: balances,
      preTokenBalances: told('had'),
    },
    transaction: {
      accountKeys: accounts.map((pubkey, position) => ({
        ...{ pubkey, signer: position === 0, source: position < 12 ? 'transaction' : 'lookupTable' },
        writable: position < accounts.length / 2,
      })),
      signatures: [idOf(name)],
    },
    version: accounts.length > 12 ? 0 : 'legacy',
  });
}

/** A transaction of strangers, or a vote. Apart from votes, a third move USDT and a third other tokens. */
function stranger(index: number): string {
  const name = `stranger ${String(index)}`;
  const isVote = index >= TRANSACTIONS;
  const count = isVote ? ACCOUNTS.vote : index % 3 === 2 ? ACCOUNTS.program : index % 3 === 1 ? 14 : ACCOUNTS.transfer;
  const accounts = Array.from({ length: count }, (_, position) => keyOf('SOL', `${name}/${String(position)}`));
  if (isVote || index % 3 === 0) return transaction(name, [...accounts.slice(1), SYSTEM_PROGRAM], []);
  const mint = index % 3 === 1 ? SOLANA_USDT : keyOf('SOL', `mint ${String(index % 97)}`);
  const tokens = [2, 3, 4].map((position) => {
    const owner = keyOf('SOL', `owner ${String(index % 50)}/${String(position)}`);
    accounts[position] = index % 3 === 1 ? placeOf(owner, mint) : (accounts[position] ?? '');
    return { position, owner, mint, had: BigInt(position) * 1_000_000n, has: BigInt(position % 3) * 2_000_000n };
  });
  return transaction(name, accounts, tokens);
}

const places = new Map<string, string>();

function placeOf(owner: string, mint: string): string {
  const place = places.get(owner) ?? associatedTokenAccount(owner, mint, TOKEN_PROGRAM);
  places.set(owner, place);
  return place;
}

export function createSolanaBlocks({ blocks: tip }: ChainTask): Answer {
  const strangers = Array.from({ length: TRANSACTIONS + VOTES }, (_, index) => stranger(index));
  const rest = Buffer.from(`${strangers.join()}]}}`);
  process.stderr.write(`A block has ${(rest.length / 2 ** 20).toFixed(1)} MiB of JSON\n`);

  const headOf = (slot: number) => ({
    ...{ blockHeight: slot, blockTime: 1_700_000_000 + Math.floor(slot * 0.4), blockhash: hashAt(slot) },
    ...{ parentSlot: parentOf(slot), previousBlockhash: hashAt(parentOf(slot)) },
  });
  function oursOf(slot: number): string {
    const row = rowOf(slot);
    if (row === null) return '';
    const owner = ourKey('SOL', row);
    const place = associatedTokenAccount(owner, SOLANA_USDT, TOKEN_PROGRAM);
    const payer = keyOf('SOL', 'payer');
    const tokens = { position: 1, owner, mint: SOLANA_USDT, had: 0n, has: TRANSFERRED };
    return `${transaction(`pays ${String(row)}`, [payer, place, SOLANA_USDT, TOKEN_PROGRAM], [tokens])},`;
  }

  return (_path, { id, method, params }) => {
    const [first, second] = params as readonly unknown[];
    const say = (result: unknown) => [JSON.stringify({ jsonrpc: '2.0', result, id })];
    if (method === 'getSlot') return say(tip);
    if (method === 'getBlocks') {
      const slots = [];
      for (let slot = Number(first); slot <= Math.min(Number(second), tip); slot += 1)
        if (!isSkipped(slot)) slots.push(slot);
      return say(slots);
    }
    if (method !== 'getBlock') throw new Error(`Unexpected method: ${String(method)}`);
    const slot = Number(first);
    const head = JSON.stringify(headOf(slot));
    if ((second as { transactionDetails: string }).transactionDetails === 'none') return say(headOf(slot));
    return [`{"jsonrpc":"2.0","id":${String(id)},"result":${head.slice(0, -1)},"transactions":[${oursOf(slot)}`, rest];
  };
}
