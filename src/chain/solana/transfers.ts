// From what transactions did to the accounts that they name to transfers. Pure; whose the addresses are is the domain's
// question. Balances before and after say what arrived, by whatever way: instructions inside programs, several at once,
// tokens that take a fee on their way.

import type { Signed, Transfer } from '../blocks.ts';
import { isAssociated } from './address.ts';
import type { RpcTokenBalance, RpcTransaction } from './rpc-types.ts';

/** What to look for. */
export interface WatchedAssets {
  /** The coin's currency code, null when coin payments are not taken. */
  readonly coin: string | null;
  /** Mint → currency code. */
  readonly tokens: ReadonlyMap<string, string>;
}

/** `Transfer.ordinal` of the coin, and of a token, that arrived at a transaction's n-th account; there are 256 at most. */
const ordinalOfCoin = (position: number): number => position;
const ordinalOfTokens = (position: number): number => 1_000 + position;

/** The transfers of a block. Failed transactions move nothing; what their payers are charged is no transfer. */
export function decodeBlock(transactions: readonly RpcTransaction[], assets: WatchedAssets): Transfer[] {
  return transactions.flatMap((transaction) =>
    transaction.succeeded ? [...decodeCoin(transaction, assets), ...decodeTokens(transaction, assets)] : [],
  );
}

/** The votes of validators are the larger part of a block, and none of them is ours. */
const VOTE_PROGRAM = 'Vote111111111111111111111111111111111111111';

/** Who signed transactions, failed ones too. */
export function signedOf(transactions: readonly RpcTransaction[]): Signed[] {
  const own = transactions.filter(({ accounts }) => !accounts.includes(VOTE_PROGRAM));
  return own.map(({ id, accounts, signers }) => ({ txHash: id, by: accounts.slice(0, signers) }));
}

/** Token accounts hold a little of the coin as their rent; it is no payment to anybody. */
function decodeCoin({ id, accounts, before, after, tokensAfter }: RpcTransaction, { coin }: WatchedAssets) {
  if (coin === null) return [];
  const tokenAccounts = new Set(tokensAfter.map(({ position }) => position));
  return accounts.flatMap((addressKey, position): Transfer[] => {
    const [had, has] = [before[position], after[position]];
    if (had == null || has == null || has <= had || tokenAccounts.has(position)) return [];
    return [{ txHash: id, ordinal: ordinalOfCoin(position), addressKey, currency: coin, amount: has - had }];
  });
}

/**
 * What arrived in an owner's associated token account, which wallets send to and which we can sweep. Other token accounts
 * of theirs do not count, nor does one that changed hands with what is in it, unless it is that of `recipient`: what was
 * sent to them has arrived, whomever they have handed the account to.
 */
export function decodeTokens(
  transaction: RpcTransaction,
  { tokens }: WatchedAssets,
  recipient: string | null = null,
): Transfer[] {
  const { id, accounts, tokensBefore, tokensAfter } = transaction;
  return tokensAfter.flatMap((held): Transfer[] => {
    const { position, mint, program, units } = held;
    const currency = tokens.get(mint);
    const account = accounts[position];
    if (currency === undefined || account === undefined) return [];
    const amount = units - unitsBefore(tokensBefore, held);
    if (amount <= 0n) return [];
    const isOf = (owner: string) => isAssociated(account, owner, mint, program);
    const owner = isOf(held.owner) ? held.owner : recipient !== null && isOf(recipient) ? recipient : null;
    if (owner === null) return [];
    return [{ txHash: id, ordinal: ordinalOfTokens(position), addressKey: owner, currency, amount }];
  });
}

function unitsBefore(tokensBefore: readonly RpcTokenBalance[], { position, mint }: RpcTokenBalance): bigint {
  return tokensBefore.find((held) => held.position === position && held.mint === mint)?.units ?? 0n;
}

/** What a transaction cost us besides what it moved: its fee, and the rent of token accounts that it made. */
export function costOf({ fee, succeeded, before, after, tokensAfter }: RpcTransaction): bigint {
  if (!succeeded) return fee;
  const rents = tokensAfter.map(({ position }) => (after[position] ?? 0n) - (before[position] ?? 0n));
  return rents.reduce((sum, rent) => (rent > 0n ? sum + rent : sum), fee);
}
