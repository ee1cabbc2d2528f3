// The node of `npm run bench -- watch`: a process that serves a generated chain over JSON-RPC, with 200 token transfers
// in each block. It computes nothing, so that the bench measures the reading.

import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The first message from the parent. */
export interface NodeTask {
  readonly blocks: number;
  readonly token: string;
}

export const TRANSFERS = 200;
/** One block in this many has a transfer to an order: that of row 1, 2, 3 and so on. */
export const OURS_EVERY = 10;
export const TRANSFERRED = 25_000_000n;
const TRANSFER_TOPIC = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

export const hashAt = (height: number): string =>
  `0x${createHash('sha256')
    .update(`block ${String(height)}`)
    .digest('hex')}`;
const hex = (value: number | bigint): string => `0x${value.toString(16)}`;
const word = (digits: string): string => digits.padStart(64, '0');
const md5 = (text: string): string => createHash('md5').update(text).digest('hex');

function recipientOf(height: number, index: number): string {
  const isOurs = index === 0 && height % OURS_EVERY === 0;
  return isOurs
    ? `${md5(String(height / OURS_EVERY))}01234567`
    : `${md5(`${String(height)}/${String(index)}`)}89abcdef`;
}

function headOf(height: number): object {
  const zeros = `0x${'0'.repeat(64)}`;
  return {
    ...{
      number: hex(height),
      hash: hashAt(height),
      parentHash: hashAt(height - 1),
      timestamp: hex(1_700_000_000 + height),
    },
    ...{
      gasLimit: hex(30_000_000),
      gasUsed: hex(TRANSFERS * 46_109),
      baseFeePerGas: '0x7',
      miner: `0x${'0'.repeat(40)}`,
    },
    ...{
      stateRoot: zeros,
      receiptsRoot: zeros,
      transactionsRoot: zeros,
      logsBloom: `0x${'0'.repeat(512)}`,
      extraData: '0x',
    },
  };
}

function transferOf({ token }: NodeTask, height: number, index: number) {
  const to = recipientOf(height, index);
  const hash = `0x${createHash('sha256')
    .update(`${String(height)}/${String(index)}`)
    .digest('hex')}`;
  const place = { blockHash: hashAt(height), blockNumber: hex(height), transactionIndex: hex(index) };
  const from = `0x${md5(`payer ${String(index)}`)}00000000`;
  const transaction = {
    ...{
      ...place,
      hash,
      from,
      to: token,
      value: '0x0',
      nonce: hex(height),
      gas: '0x186a0',
      gasPrice: '0x3b9aca07',
      type: '0x2',
    },
    ...{ maxFeePerGas: '0x3b9aca0e', maxPriorityFeePerGas: '0x3b9aca00', chainId: '0x7a69', v: '0x1' },
    ...{ r: `0x${word('1')}`, s: `0x${word('2')}`, input: `0xa9059cbb${word(to)}${word(TRANSFERRED.toString(16))}` },
  };
  const log = {
    ...{ ...place, transactionHash: hash, logIndex: hex(index), address: token, removed: false },
    ...{
      topics: [TRANSFER_TOPIC, `0x${word(from.slice(2))}`, `0x${word(to)}`],
      data: `0x${word(TRANSFERRED.toString(16))}`,
    },
  };
  const receipt = {
    ...{ ...place, transactionHash: hash, from, to: token, status: '0x1', type: '0x2', contractAddress: null },
    ...{ cumulativeGasUsed: hex((index + 1) * 46_109), gasUsed: hex(46_109), effectiveGasPrice: '0x3b9aca07' },
    ...{ logs: [log], logsBloom: `0x${'0'.repeat(512)}` },
  };
  return { transaction, receipt };
}

interface Made {
  readonly head: string;
  readonly block: string;
  readonly receipts: string;
}

function make(task: NodeTask, height: number): Made {
  const indexes = Array.from({ length: height === 0 ? 0 : TRANSFERS }, (_, index) => index);
  const transfers = indexes.map((index) => transferOf(task, height, index));
  const head = headOf(height);
  return {
    head: JSON.stringify({ ...head, transactions: transfers.map(({ transaction }) => transaction.hash) }),
    block: JSON.stringify({ ...head, transactions: transfers.map(({ transaction }) => transaction) }),
    receipts: JSON.stringify(transfers.map(({ receipt }) => receipt)),
  };
}

interface Question {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}

function createAnswers(task: NodeTask) {
  const made = Array.from({ length: task.blocks + 1 }, (_, height) => make(task, height));
  const heights = new Map(made.map((_, height) => [hashAt(height), height]));
  const resultOf = ({ method, params: [which, isFull] }: Question): string | null => {
    if (method === 'eth_chainId') return '"0x7a69"';
    if (method === 'eth_syncing') return 'false';
    if (method === 'eth_getBlockReceipts') return made[heights.get(String(which)) ?? -1]?.receipts ?? 'null';
    if (method !== 'eth_getBlockByNumber') return null;
    const found = made[which === 'latest' ? task.blocks : Number(which)];
    return (isFull === true ? found?.block : found?.head) ?? 'null';
  };
  return (question: Question): string => {
    const result = resultOf(question);
    const error = `"error":{"code":-32601,"message":"the method ${question.method} does not exist"}`;
    return `{"jsonrpc":"2.0","id":${String(question.id)},${result === null ? error : `"result":${result}`}}`;
  };
}

function serve(task: NodeTask): void {
  const answer = createAnswers(task);
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString()) as Question | Question[];
      response.setHeader('content-type', 'application/json');
      response.end(Array.isArray(body) ? `[${body.map(answer).join()}]` : answer(body));
    });
  });
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
}

// Only when run as a process of its own: other modules import its constants.
if (process.argv[1] === import.meta.filename) {
  process.once('message', (task: NodeTask) => serve(task));
  process.once('disconnect', () => process.exit());
}
