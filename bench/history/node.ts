// The node of `npm run bench -- history`: a process that answers over JSON-RPC what addresses hold, in batches as large
// as nodes allow. It computes next to nothing, so that the bench measures the comparison.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { HOT_KEY, hashAt, unitsAt } from './chain.ts';

/** The first message from the parent. */
export interface NodeTask {
  /** What the hot wallet holds of USDT, in base units. */
  readonly hot: string;
  readonly tip: number;
  /** How many payments there are: of addresses beyond them, nothing was paid. */
  readonly payments: number;
}

interface Question {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}

const hex = (value: number | bigint): string => `0x${value.toString(16)}`;

function resultOf(task: NodeTask, { method, params: [first, second] }: Question): unknown {
  switch (method) {
    case 'eth_getBlockByNumber': {
      const height = first === 'latest' ? task.tip : Number(first);
      return {
        number: hex(height),
        hash: hashAt(height),
        parentHash: hashAt(height - 1),
        timestamp: hex(1_700_000_000),
      };
    }
    case 'eth_getBalance':
      return '0x0';
    case 'eth_call': {
      // balanceOf(address): the selector, then the address in 32 bytes.
      const key = `0x${(first as { data: string }).data.slice(-40)}`;
      if (key === HOT_KEY) return hex(BigInt(task.hot));
      return BigInt(key) > BigInt(task.payments) ? '0x0' : hex(unitsAt(key, Number(second)));
    }
    default:
      return null;
  }
}

function serve(task: NodeTask): void {
  const answer = (question: Question) => ({ jsonrpc: '2.0', id: question.id, result: resultOf(task, question) });
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString()) as Question | Question[];
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(Array.isArray(body) ? body.map(answer) : answer(body)));
    });
  });
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
}

process.once('message', (task: NodeTask) => serve(task));
process.once('disconnect', () => process.exit());
