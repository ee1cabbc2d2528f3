// A double of an Esplora server: the REST paths that the adapter asks, answered from a real litecoind. It cannot show
// where real servers differ from their documentation.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Rpc } from '../../src/chain/utxo/rpc.ts';

type Answer = Buffer | string | object | null;

export async function startEsploraDouble(rpc: Rpc): Promise<{ url: string; stop(): Promise<void> }> {
  const call = async (method: string, ...params: unknown[]) => rpc.call(method, ...params) as Promise<never>;
  const header = (hash: string): Promise<Record<string, unknown>> => call('getblockheader', hash);
  const tip = () => call('getbestblockhash') as Promise<string>;
  const raw = async (hash: string) => Buffer.from(await call('getrawtransaction', hash), 'hex');
  const status = async (hash: string) => {
    const { blockhash, confirmations } = (await call('getrawtransaction', hash, true)) as {
      blockhash?: string;
      confirmations?: number;
    };
    if (blockhash === undefined || confirmations === 0) return { confirmed: false };
    const { height, time } = await header(blockhash);
    return { confirmed: true, block_height: height, block_hash: blockhash, block_time: time };
  };
  const block = async (hash: string) => {
    const { height, time, previousblockhash } = await header(hash);
    return { id: hash, height, timestamp: time, previousblockhash: previousblockhash ?? null };
  };
  const blockStatus = async (hash: string) => {
    const { height, confirmations, nextblockhash } = await header(hash);
    const isBest = Number(confirmations) > 0;
    return isBest
      ? { in_best_chain: true, height, next_best: nextblockhash ?? null }
      : { in_best_chain: false, next_best: null };
  };
  const outspend = async (hash: string, index: string) => {
    const waiting = await call('gettxout', hash, Number(index), true);
    if (waiting !== null) return { spent: false };
    return { spent: true, status: { confirmed: (await call('gettxout', hash, Number(index), false)) === null } };
  };
  const PATHS: readonly (readonly [RegExp, (...parts: string[]) => Promise<Answer>])[] = [
    [/^\/blocks\/tip\/hash$/, tip],
    [/^\/blocks\/tip\/height$/, async () => String(await call('getblockcount'))],
    [/^\/block-height\/(\d+)$/, async (height) => await call('getblockhash', Number(height))],
    [/^\/block\/(\w{64})$/, async (hash = '') => block(hash)],
    [/^\/block\/(\w{64})\/status$/, async (hash = '') => blockStatus(hash)],
    [/^\/block\/(\w{64})\/raw$/, async (hash) => Buffer.from(await call('getblock', hash, 0), 'hex')],
    [/^\/mempool\/txids$/, () => call('getrawmempool')],
    [/^\/tx\/(\w{64})\/raw$/, async (hash = '') => raw(hash)],
    [/^\/tx\/(\w{64})\/status$/, async (hash = '') => status(hash)],
    [/^\/tx\/(\w{64})\/outspend\/(\d+)$/, async (hash = '', index = '') => outspend(hash, index)],
    [/^\/fee-estimates$/, () => Promise.resolve({ '1': 12.1, '3': 7.3, '6': 2 })],
  ];

  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const answer = async (): Promise<Answer> => {
        if (request.method === 'POST') return await call('sendrawtransaction', Buffer.concat(chunks).toString());
        const path = request.url ?? '';
        const row = PATHS.find(([pattern]) => pattern.test(path));
        return row ? row[1](...(row[0].exec(path)?.slice(1) ?? [])) : null;
      };
      answer().then(
        (value) => {
          const body = Buffer.isBuffer(value) || typeof value === 'string' ? value : JSON.stringify(value);
          response.writeHead(value === null ? 404 : 200).end(body);
        },
        (error: unknown) => {
          const { code, nodeMessage } = error as { code?: number; nodeMessage?: string };
          const isMissing = code === -5 || code === -8;
          response.writeHead(isMissing ? 404 : 400).end(`sendrawtransaction RPC error: ${String(nodeMessage)}`);
        },
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${String(port)}`,
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
