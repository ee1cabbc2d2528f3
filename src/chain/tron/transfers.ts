// Decodes transfers from TRON transactions and their logs. Pure; all addresses are decoded, not only ours.

import type { Move, Signed, Transfer } from '../blocks.ts';
import { ADDRESS_PREFIX, keyOfBytes } from './address.ts';
import { MalformedMessage } from './protobuf.ts';
import { readCoinTransfer, readOwner } from './transaction.ts';
import type { RpcInfo, RpcLog, RpcTransaction } from './rpc-types.ts';

/** The assets to look for. */
export interface WatchedAssets {
  /** The coin's currency code; null if coin payments are not accepted. */
  readonly coin: string | null;
  /** The contract's 20 bytes in lower-case hex → currency code. */
  readonly tokens: ReadonlyMap<string, string>;
}

/** keccak-256 of `Transfer(address,address,uint256)` (TRC-20, the same as ERC-20). */
const TRANSFER_TOPIC = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

/** `Transfer.ordinal` of the coin, and of the n-th log. */
const COIN_ORDINAL = 0;
const ordinalOfLog = (position: number): number => 1 + position;

/** The transfers of a block; `infos` are in the order of `transactions`. Failed transactions transfer nothing. */
export function decodeBlock(
  transactions: readonly RpcTransaction[],
  infos: readonly RpcInfo[],
  assets: WatchedAssets,
): Transfer[] {
  return transactions.flatMap((transaction, position) => {
    const info = infos[position];
    if (!info || !transaction.succeeded || info.failed) return [];
    return [...decodeCoin(transaction, assets), ...decodeLogs(info, assets)];
  });
}

/** The owners of the transactions. Others may sign for an owner, but it is the owner's money. */
export function signedOf(transactions: readonly RpcTransaction[]): Signed[] {
  return transactions.flatMap(({ id, raw }) => {
    const owner = ownerOf(raw);
    return owner === null ? [] : [{ txHash: id, by: [owner] }];
  });
}

function ownerOf(raw: Uint8Array): string | null {
  try {
    return keyOfBytes(readOwner(raw));
  } catch (error) {
    if (error instanceof MalformedMessage) return null;
    throw error;
  }
}

/**
 * Only a coin transfer pays the coin. It is read from the signed bytes, because the node's JSON-RPC shows TRC-10
 * payments, votes and stakes as coin values too.
 */
function decodeCoin({ id, raw }: RpcTransaction, { coin }: WatchedAssets): Transfer[] {
  if (coin === null) return [];
  const paid = readPayment(raw);
  const addressKey = paid && keyOfBytes(paid.to);
  if (!addressKey || paid.amount <= 0n) return [];
  return [{ txHash: id, ordinal: COIN_ORDINAL, addressKey, currency: coin, amount: paid.amount }];
}

/** Bytes that we cannot decode are not a plain coin transfer. */
function readPayment(raw: Uint8Array): ReturnType<typeof readCoinTransfer> {
  try {
    return readCoinTransfer(raw);
  } catch (error) {
    if (error instanceof MalformedMessage) return null;
    throw error;
  }
}

/** The token transfers in a transaction's logs. */
export function decodeLogs({ id, logs }: RpcInfo, assets: WatchedAssets): Transfer[] {
  return logs.flatMap((log, position) => {
    const paid = decodeLog(log, assets);
    return paid ? [{ txHash: id, ordinal: ordinalOfLog(position), ...paid }] : [];
  });
}

/** The movements of watched tokens in a successful transaction's logs, with sender and recipient. */
export function decodeMoves({ logs }: RpcInfo, assets: WatchedAssets): Move[] {
  return logs.flatMap((log) => {
    const paid = decodeLog(log, assets);
    const from = paid && keyOfWord(log.topics[1] ?? '');
    return paid && from !== null ? [{ currency: paid.currency, from, to: paid.addressKey, amount: paid.amount }] : [];
  });
}

/** Decodes a transfer of a watched token: three topics (an NFT's has four) and one word of data. */
function decodeLog({ address, topics, data }: RpcLog, { tokens }: WatchedAssets) {
  const currency = tokens.get(address);
  const [topic, from = '', to = ''] = topics;
  if (currency === undefined || topic !== TRANSFER_TOPIC || topics.length !== 3 || data.length !== 64) return null;
  const addressKey = keyOfWord(from) && keyOfWord(to);
  const amount = BigInt(`0x${data}`);
  return addressKey && amount > 0n ? { addressKey, currency, amount } : null;
}

/** The address in a 32-byte word; null if the word is longer than an address. */
function keyOfWord(word: string): string | null {
  if (!/^0{24}[0-9a-f]{40}$/.test(word)) return null;
  return keyOfBytes(Buffer.concat([Buffer.of(ADDRESS_PREFIX), Buffer.from(word.slice(24), 'hex')]));
}
