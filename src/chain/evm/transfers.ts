// Decodes transfers from EVM transactions, receipts and traces. Pure; all addresses are decoded, not only ours.

import { CONTRACTS_FROM, type Move, type Signed, type Transfer } from '../blocks.ts';
import { paymentsOf } from './traces.ts';
import type { RpcReceipt, RpcTrace, RpcTransaction } from './rpc-types.ts';
import type { WatchedAssets } from './watched-assets.ts';

/** keccak-256 of `Transfer(address,address,uint256)` (ERC-20). */
export const TRANSFER_TOPIC = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
/** Selectors of `transfer(address,uint256)` and `transferFrom(address,address,uint256)`. */
const TRANSFER_SELECTOR = '0xa9059cbb';
const TRANSFER_FROM_SELECTOR = '0x23b872dd';

/**
 * `Transfer.ordinal` of the coin, of the n-th log, and of the n-th payment by a contract. No block has room for a
 * million logs, which cost at least 375 gas each.
 */
const COIN_ORDINAL = 0;
const ordinalOfLog = (position: number): number => 1 + position;
const ordinalOfPayment = (position: number): number => CONTRACTS_FROM + position;

/**
 * The transfers of a mined block. Failed transactions move nothing. There may be more receipts than transactions: some
 * chains write receipts for system transactions, and their logs count too. Without `traces`, coin payments by contracts
 * are missing.
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
 * The transfers that waiting transactions will make if they succeed, from their value and call data.
 *
 * A token transfer's ordinal comes from its log, which does not exist yet. It is assumed to be the first log, as it is
 * for direct calls of USDT and USDC on the main networks and of the sandbox's test tokens. If that is wrong for a
 * token, the mined transfer still replaces this one, because it has the same transaction hash. Calls through other
 * contracts (multi-sends, exchange batchers) are seen only once mined.
 */
export function decodePending(transactions: readonly RpcTransaction[], assets: WatchedAssets): Transfer[] {
  const waiting = transactions.filter((transaction) => transaction.blockHash === null);
  const transfers = waiting.flatMap((one) => [...decodeCoin(one, assets), ...decodeCall(one, assets)]);
  return withSpends(transfers, waiting);
}

/** The signers of the transactions, as far as the node says. */
export function signedOf(transactions: readonly RpcTransaction[]): Signed[] {
  return transactions.flatMap(({ hash: txHash, spends }) => {
    const [sender, nonce] = spends?.split(':') ?? [];
    return sender === undefined ? [] : [{ txHash, by: [sender], nonce: Number(nonce) }];
  });
}

/** Sets `spends` on each transfer. */
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

/** Coin payments by contracts, numbered within each transaction in order of execution. */
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

/** The movements of watched tokens in a successful transaction's logs, with sender and recipient. */
export function decodeMoves({ succeeded, logs }: RpcReceipt, assets: WatchedAssets): Move[] {
  if (!succeeded) return [];
  return logs.flatMap((log) => {
    const paid = decodeLog(log, assets);
    const from = paid && addressOfWord((log as { topics: unknown[] }).topics[1]);
    return paid && from !== null ? [{ currency: paid.currency, from, to: paid.addressKey, amount: paid.amount }] : [];
  });
}

type Paid = Pick<Transfer, 'addressKey' | 'currency' | 'amount'>;

/** Decodes an ERC-20 transfer of a watched token: three topics (an NFT's has four) and one word of data. */
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

/**
 * Decodes a direct call of a watched token. Extra data after the arguments (a wallet's tag) is ignored by contracts.
 */
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

/** The address in a 32-byte word; null if the word is malformed or longer than an address. */
function addressOfWord(word: unknown): string | null {
  return isWord(word) && /^0x0{24}/.test(word) ? `0x${word.slice(26).toLowerCase()}` : null;
}

function isWord(value: unknown): value is string {
  return typeof value === 'string' && /^0x[0-9a-f]{64}$/i.test(value);
}
