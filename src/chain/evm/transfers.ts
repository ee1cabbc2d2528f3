// From blocks, receipts and waiting transactions to transfers. Pure; whose the addresses are is the domain's question.

import { CONTRACTS_FROM, type Move, type Signed, type Transfer } from '../blocks.ts';
import { paymentsOf } from './traces.ts';
import type { RpcReceipt, RpcTrace, RpcTransaction } from './rpc-types.ts';

/** What to look for. */
export interface WatchedAssets {
  /** The coin's currency code, null when coin payments are not taken. */
  readonly coin: string | null;
  /** Lower-case contract address → currency code. */
  readonly tokens: ReadonlyMap<string, string>;
}

/** keccak-256 of `Transfer(address,address,uint256)` (ERC-20). */
export const TRANSFER_TOPIC = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
/** Selectors of `transfer(address,uint256)` and `transferFrom(address,address,uint256)`. */
const TRANSFER_SELECTOR = '0xa9059cbb';
const TRANSFER_FROM_SELECTOR = '0x23b872dd';

/**
 * `Transfer.ordinal` of the coin, of a transaction's n-th log, and of the n-th payment that contracts made meanwhile. No
 * block has room for a million logs: each costs 375 gas at least.
 */
const COIN_ORDINAL = 0;
const ordinalOfLog = (position: number): number => 1 + position;
const ordinalOfPayment = (position: number): number => CONTRACTS_FROM + position;

/**
 * The transfers of a mined block. Failed transactions move nothing and are passed over.
 * Receipts may outnumber the transactions: some chains write receipts for system transactions, and their logs count too.
 * `traces` is empty where the node offers none: then what contracts pay out in the coin is not among the transfers.
 */
export function decodeBlock(
  transactions: readonly RpcTransaction[],
  receipts: ReadonlyMap<string, RpcReceipt>,
  assets: WatchedAssets,
  traces: readonly RpcTrace[] = [],
): Transfer[] {
  const succeeded = [...receipts.values()].filter((receipt) => receipt.succeeded);
  const paidCoins = transactions.filter((transaction) => receipts.get(transaction.hash)?.succeeded === true);
  const transfers = [
    ...paidCoins.flatMap((transaction) => decodeCoin(transaction, assets)),
    ...succeeded.flatMap((receipt) => decodeLogs(receipt, assets)),
    ...decodeTraces(traces, assets).filter(({ txHash }) => receipts.get(txHash)?.succeeded !== false),
  ];
  return withSpends(transfers, transactions);
}

/**
 * The transfers that waiting transactions will make if they succeed, read from value and call data.
 *
 * A token transfer's ordinal comes from its log, which does not exist yet. It is taken to be the transaction's first,
 * which holds for direct calls of USDT and USDC as deployed on the main networks and of the sandbox's test tokens.
 * Calls through other contracts (multi-sends, exchanges' batchers) are not seen before they are mined. Should the
 * assumption fail for some token, the block's sighting still supersedes this one, because it carries the same hash.
 */
export function decodePending(transactions: readonly RpcTransaction[], assets: WatchedAssets): Transfer[] {
  const waiting = transactions.filter((transaction) => transaction.blockHash === null);
  const transfers = waiting.flatMap((one) => [...decodeCoin(one, assets), ...decodeCall(one, assets)]);
  return withSpends(transfers, waiting);
}

/** Who signed transactions, as far as the node says it. */
export function signedOf(transactions: readonly RpcTransaction[]): Signed[] {
  return transactions.flatMap(({ hash: txHash, spends }) => {
    const [sender, nonce] = spends?.split(':') ?? [];
    return sender === undefined ? [] : [{ txHash, by: [sender], nonce: Number(nonce) }];
  });
}

/** Says of each transfer what its transaction uses up. */
function withSpends(transfers: readonly Transfer[], transactions: readonly RpcTransaction[]): Transfer[] {
  const byHash = new Map(transactions.map(({ hash, spends }) => [hash, spends]));
  return transfers.map((transfer) => {
    const spends = byHash.get(transfer.txHash) ?? null;
    return spends === null ? transfer : { ...transfer, spends };
  });
}

function decodeCoin({ hash, to, value }: RpcTransaction, { coin }: WatchedAssets): Transfer[] {
  if (coin === null || to === null || value === 0n) return [];
  return [{ txHash: hash, ordinal: COIN_ORDINAL, addressKey: to, currency: coin, amount: value }];
}

/** What contracts paid out in the coin, numbered within each transaction in the order in which it was paid. */
function decodeTraces(traces: readonly RpcTrace[], { coin }: WatchedAssets): Transfer[] {
  if (coin === null) return [];
  return [...paymentsOf(traces)].flatMap(([txHash, payments]) =>
    payments.map(({ receiver, units }, position) => ({
      ...{ txHash, ordinal: ordinalOfPayment(position), addressKey: receiver, currency: coin, amount: units },
    })),
  );
}

function decodeLogs({ txHash, logs }: RpcReceipt, assets: WatchedAssets): Transfer[] {
  return logs.flatMap((log, position) => {
    const paid = decodeLog(log, assets);
    return paid ? [{ txHash, ordinal: ordinalOfLog(position), ...paid }] : [];
  });
}

/** What watched tokens moved by the logs of a transaction that succeeded, and from whom to whom. */
export function decodeMoves({ succeeded, logs }: RpcReceipt, assets: WatchedAssets): Move[] {
  if (!succeeded) return [];
  return logs.flatMap((log) => {
    const paid = decodeLog(log, assets);
    const from = paid && addressOfWord((log as { topics: unknown[] }).topics[1]);
    return paid && from !== null ? [{ currency: paid.currency, from, to: paid.addressKey, amount: paid.amount }] : [];
  });
}

type Paid = Pick<Transfer, 'addressKey' | 'currency' | 'amount'>;

/** One log, if it is an ERC-20 transfer of a watched token: three topics (an NFT's has four) and one word of data. */
function decodeLog(log: unknown, { tokens }: WatchedAssets): Paid | null {
  if (typeof log !== 'object' || log === null) return null;
  const { address, topics, data, removed } = log as Record<string, unknown>;
  if (removed === true || typeof address !== 'string' || !Array.isArray(topics) || topics.length !== 3) return null;
  const currency = tokens.get(address.toLowerCase());
  const [topic, from, to] = topics as unknown[];
  if (currency === undefined || typeof topic !== 'string' || topic.toLowerCase() !== TRANSFER_TOPIC) return null;
  if (addressOfWord(from) === null) return null;
  return paidOf(currency, to, data);
}

/** A direct call of a watched token. Data behind the arguments is legal (some wallets append tags) and ignored by contracts. */
function decodeCall({ hash, to, input }: RpcTransaction, { tokens }: WatchedAssets): Transfer[] {
  const currency = to === null ? undefined : tokens.get(to);
  if (currency === undefined) return [];
  const word = (index: number): string => `0x${input.slice(10 + 64 * index, 74 + 64 * index)}`;
  const selector = input.slice(0, 10);
  let paid: Paid | null = null;
  if (selector === TRANSFER_SELECTOR) paid = paidOf(currency, word(0), word(1));
  if (selector === TRANSFER_FROM_SELECTOR) paid = paidOf(currency, word(1), word(2));
  return paid ? [{ txHash: hash, ordinal: ordinalOfLog(0), ...paid }] : [];
}

function paidOf(currency: string, receiver: unknown, amountWord: unknown): Paid | null {
  const addressKey = addressOfWord(receiver);
  if (addressKey === null || !isWord(amountWord)) return null;
  const amount = BigInt(amountWord);
  return amount > 0n ? { addressKey, currency, amount } : null;
}

/** The address in a 32-byte word; null when the word is malformed or holds more than an address. */
function addressOfWord(word: unknown): string | null {
  return isWord(word) && /^0x0{24}/.test(word) ? `0x${word.slice(26).toLowerCase()}` : null;
}

function isWord(value: unknown): value is string {
  return typeof value === 'string' && /^0x[0-9a-f]{64}$/i.test(value);
}
