// Decodes transfers from the balances of Solana accounts before and after a transaction. Pure. Balances show what
// arrived however it was sent: by nested instructions, by several at once, or minus a token's fee.

import type { Signed, Transfer } from '../blocks.ts';
import { isAssociated } from './address.ts';
import type { RpcTokenBalance, RpcTransaction } from './rpc-types.ts';

/** The assets to look for. */
export interface WatchedAssets {
  /** The coin's currency code; null if coin payments are not accepted. */
  readonly coin: string | null;
  /** Mint → currency code. */
  readonly tokens: ReadonlyMap<string, string>;
}

/** `Transfer.ordinal` of the coin, and of a token, received by the n-th account of a transaction, of at most 256. */
const ordinalOfCoin = (position: number): number => position;
const ordinalOfTokens = (position: number): number => 1_000 + position;

/** The transfers of a block. Failed transactions transfer nothing; the fee they cost is not a transfer. */
export function decodeBlock(transactions: readonly RpcTransaction[], assets: WatchedAssets): Transfer[] {
  return transactions.flatMap((transaction) =>
    transaction.succeeded ? [...decodeCoin(transaction, assets), ...decodeTokens(transaction, assets)] : [],
  );
}

/** Validators' votes are the larger part of a block, and none is ours. */
const VOTE_PROGRAM = 'Vote111111111111111111111111111111111111111';

/** The signers of the transactions, including failed ones. */
export function signedOf(transactions: readonly RpcTransaction[]): Signed[] {
  const others = transactions.filter(({ accounts }) => !accounts.includes(VOTE_PROGRAM));
  return others.map(({ id, accounts, signers }) => ({ txHash: id, by: accounts.slice(0, signers) }));
}

/** Token accounts are skipped: the coin they receive is rent, not a payment. */
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
 * Token payments to associated token accounts, which are the ones that wallets pay to and that we sweep. An owner's
 * other token accounts do not count, nor does an account now owned by somebody else. Exception: the associated account
 * of `recipient` counts even under another owner, because what was sent to them has arrived.
 */
export function decodeTokens(
  transaction: RpcTransaction,
  { tokens }: WatchedAssets,
  recipient: string | null = null,
): Transfer[] {
  const { id, accounts, tokensBefore, tokensAfter } = transaction;
  return tokensAfter.flatMap((balance): Transfer[] => {
    const { position, mint, program, units } = balance;
    const currency = tokens.get(mint);
    const account = accounts[position];
    if (currency === undefined || account === undefined) return [];
    const amount = units - unitsBefore(tokensBefore, balance);
    if (amount <= 0n) return [];
    const isOf = (owner: string) => isAssociated(account, owner, mint, program);
    const owner = isOf(balance.owner) ? balance.owner : recipient !== null && isOf(recipient) ? recipient : null;
    if (owner === null) return [];
    return [{ txHash: id, ordinal: ordinalOfTokens(position), addressKey: owner, currency, amount }];
  });
}

function unitsBefore(tokensBefore: readonly RpcTokenBalance[], { position, mint }: RpcTokenBalance): bigint {
  return tokensBefore.find((balance) => balance.position === position && balance.mint === mint)?.units ?? 0n;
}

/** The total cost of a transaction: its fee and the rent of the token accounts that it created. */
export function costOf({ fee, succeeded, before, after, tokensAfter }: RpcTransaction): bigint {
  if (!succeeded) return fee;
  const rents = tokensAfter.map(({ position }) => (after[position] ?? 0n) - (before[position] ?? 0n));
  return rents.reduce((sum, rent) => (rent > 0n ? sum + rent : sum), fee);
}
