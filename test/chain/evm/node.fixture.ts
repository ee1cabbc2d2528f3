// A real anvil for the EVM adapter's tests, and a proxy in front of it that answers some questions wrongly.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Hex } from 'viem';
import { encodeFunctionData } from 'viem/utils';
import pino from 'pino';
import { createEvmAdapter, type EvmAdapterOptions } from '../../../src/chain/evm/adapter.ts';
import type { AccountAdapter, ChainAdapter } from '../../../src/chain/adapter.ts';
import type { BlockRef, ChainBlock } from '../../../src/chain/blocks.ts';
import { startAnvil } from '../../../src/sandbox/evm/anvil.ts';
import { NODE_TIMEOUT_MS } from '../../support/node-timeout.ts';
import { compileTestToken, testTokenAbi } from './test-token.fixture.ts';

/** Two of anvil's funded accounts, whose keys anvil holds. */
export const PAYER = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266';
export const OTHER_PAYER = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8';
export const SHOP = '0x00000000000000000000000000000000000000c1';
export const log = pino({ level: 'silent' });

export interface TestChain {
  readonly url: string;
  readonly token: string;
  /** Asks anvil directly. */
  rpc<T = unknown>(method: string, ...params: unknown[]): Promise<T>;
  /** Sends without mining; returns the transaction's hash. */
  send(fields: { to?: string; value?: bigint; data?: string; from?: string; gas?: number }): Promise<string>;
  /** Sends a call of the test token without mining; to the shop, unless another recipient is named. */
  sendToken(
    name: 'transfer' | 'transferLater' | 'transferAndFail',
    amount: bigint,
    from?: string,
    to?: string,
  ): Promise<string>;
  mine(blocks?: number): Promise<void>;
  adapter(options?: Partial<EvmAdapterOptions>): AccountAdapter;
  stop(): Promise<void>;
}

/** Starts anvil with the test token as USDT in its first block. */
export async function startTestChain(): Promise<TestChain> {
  const anvil = await startAnvil({ log });
  const rpc = <T>(method: string, ...params: unknown[]): Promise<T> => askNode<T>(anvil.url, method, params);
  const hex = (value: bigint | number): string => `0x${value.toString(16)}`;

  const send: TestChain['send'] = ({ to, value = 0n, data, from = PAYER, gas = 1_000_000 }) =>
    rpc<string>('eth_sendTransaction', {
      from,
      ...(to && { to }),
      value: hex(value),
      ...(data && { data }),
      gas: hex(gas),
    });
  const mine = (blocks = 1): Promise<void> => rpc('anvil_mine', hex(blocks));

  const deployment = await send({ data: compileTestToken() });
  await mine();
  const { contractAddress } = await rpc<{ contractAddress: string }>('eth_getTransactionReceipt', deployment);

  return {
    url: anvil.url,
    token: contractAddress,
    rpc,
    send,
    sendToken: (name, amount, from = PAYER, to = SHOP) => {
      const args = [to, amount] as [Hex, bigint];
      const data = encodeFunctionData({ abi: testTokenAbi, functionName: name, args });
      return send({ to: contractAddress, data, from });
    },
    mine,
    adapter: (options = {}) =>
      createEvmAdapter({
        network: 'ETH',
        rpcUrl: anvil.url,
        chainId: 31_337,
        contracts: new Map([
          ['ETH', null],
          ['USDT', contractAddress],
        ]),
        minesOnDemand: true,
        timeoutMs: NODE_TIMEOUT_MS,
        ...options,
      }),
    stop: () => anvil.stop(),
  };
}

/** Reads the block after the cursor, which must be there. */
export async function nextBlock(adapter: ChainAdapter, cursor: BlockRef): Promise<ChainBlock> {
  const next = await adapter.next(cursor);
  if (next.kind !== 'block') throw new Error(`Expected a block, got: ${next.kind}`);
  return next.block;
}

interface Question {
  id: number;
  method: string;
  params: unknown[];
}

/** Answers a question in the node's place: `{ result }` or `{ error }`; undefined leaves it to the node. */
export type Answer = (question: Question) => object | undefined | Promise<object | undefined>;

/** A node that passes everything on to another one, except what `answer` answers. `batches: false` rejects batches. */
export async function startOddNode(
  url: string,
  answer: Answer,
  { batches = true } = {},
): Promise<{ url: string; stop(): Promise<void> }> {
  const reply = async (question: Question): Promise<object> => {
    const own = await answer(question);
    const rest = own ?? { result: await askNode(url, question.method, question.params) };
    return { jsonrpc: '2.0', id: question.id, ...rest };
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString()) as Question | Question[];
      const refusal = { jsonrpc: '2.0', id: null, error: { code: -32600, message: 'batches are not taken' } };
      // In reverse, because nodes may answer a batch in any order.
      const many = Array.isArray(body) ? (batches ? Promise.all(body.map(reply).reverse()) : refusal) : reply(body);
      Promise.resolve(many).then(
        (answers) => response.end(JSON.stringify(answers)),
        (error: unknown) => response.writeHead(500).end(String(error)),
      );
    });
  });
  // A client that asks again after some seconds must not reuse a connection that is just being closed.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function askNode<T>(url: string, method: string, params: unknown[]): Promise<T> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  const { result, error } = (await response.json()) as { result: T; error?: { message: string } };
  if (error) throw new Error(`${method}: ${error.message}`);
  return result;
}
