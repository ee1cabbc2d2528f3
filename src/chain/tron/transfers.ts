// From blocks and what became of their transactions to transfers. Pure; whose the addresses are is the domain's
// question.

import type { Move, Signed, Transfer } from '../blocks.ts';
import { ADDRESS_PREFIX, keyOfBytes } from './address.ts';
import { MalformedMessage } from './protobuf.ts';
import { readCoinTransfer, readOwner } from './transaction.ts';
import type { RpcInfo, RpcLog, RpcTransaction } from './rpc-types.ts';

/** What to look for. */
export interface WatchedAssets {
  /** The coin's currency code, null when coin payments are not taken. */
  readonly coin: string | null;
  /** The contract's 20 bytes as lower-case hex → currency code. */
  readonly tokens: ReadonlyMap<string, string>;
}

/** keccak-256 of `Transfer(address,address,uint256)` (TRC-20, which is ERC-20). */
const TRANSFER_TOPIC = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

/** `Transfer.ordinal` of the coin, and of a transaction's n-th log. */
const COIN_ORDINAL = 0;
const ordinalOfLog = (position: number): number => 1 + position;

/** The transfers of a block; `infos` belong to `transactions`, one to one. Failed transactions move nothing. */
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

/** Whose transactions they are. The owner may have others sign for them, and it is their money all the same. */
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
 * Only the coin's own kind of transaction pays the coin. Read from the signed bytes, since the node's JSON-RPC shows
 * payments of any TRC-10 token, votes and stakes as a value of the same kind.
 */
function decodeCoin({ id, raw }: RpcTransaction, { coin }: WatchedAssets): Transfer[] {
  if (coin === null) return [];
  const paid = readPayment(raw);
  const addressKey = paid && keyOfBytes(paid.to);
  if (!addressKey || paid.amount <= 0n) return [];
  return [{ txHash: id, ordinal: COIN_ORDINAL, addressKey, currency: coin, amount: paid.amount }];
}

/** What the network has accepted in a form that cannot be read here pays nobody: it is no plain payment. */
function readPayment(raw: Uint8Array): ReturnType<typeof readCoinTransfer> {
  try {
    return readCoinTransfer(raw);
  } catch (error) {
    if (error instanceof MalformedMessage) return null;
    throw error;
  }
}

/** The token transfers that a transaction made. */
export function decodeLogs({ id, logs }: RpcInfo, assets: WatchedAssets): Transfer[] {
  return logs.flatMap((log, position) => {
    const paid = decodeLog(log, assets);
    return paid ? [{ txHash: id, ordinal: ordinalOfLog(position), ...paid }] : [];
  });
}

/** What watched tokens moved by the logs of a transaction that succeeded, and from whom to whom. */
export function decodeMoves({ logs }: RpcInfo, assets: WatchedAssets): Move[] {
  return logs.flatMap((log) => {
    const paid = decodeLog(log, assets);
    const from = paid && keyOfWord(log.topics[1] ?? '');
    return paid && from !== null ? [{ currency: paid.currency, from, to: paid.addressKey, amount: paid.amount }] : [];
  });
}

/** One log, if it is a transfer of a watched token: three topics (an NFT's has four) and one word of data. */
function decodeLog({ address, topics, data }: RpcLog, { tokens }: WatchedAssets) {
  const currency = tokens.get(address);
  const [topic, from = '', to = ''] = topics;
  if (currency === undefined || topic !== TRANSFER_TOPIC || topics.length !== 3 || data.length !== 64) return null;
  const addressKey = keyOfWord(from) && keyOfWord(to);
  const amount = BigInt(`0x${data}`);
  return addressKey && amount > 0n ? { addressKey, currency, amount } : null;
}

/** The address in a 32-byte word; null when the word holds more than an address. */
function keyOfWord(word: string): string | null {
  if (!/^0{24}[0-9a-f]{40}$/.test(word)) return null;
  return keyOfBytes(Buffer.concat([Buffer.of(ADDRESS_PREFIX), Buffer.from(word.slice(24), 'hex')]));
}
