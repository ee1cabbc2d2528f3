// The node of `npm run bench -- watch --network …`: a process that serves a generated chain. Blocks differ in their
// headers and in our deposits; the rest of a block, as much as on the main network, is generated once.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createSolanaBlocks } from './blocks/solana.ts';
import { createTronBlocks } from './blocks/tron.ts';
import { createUtxoBlocks } from './blocks/utxo.ts';
import type { Answer, BenchNetwork, ChainTask } from './task.ts';

const MAKE: Readonly<Record<BenchNetwork, (task: ChainTask) => Answer>> = {
  SOL: createSolanaBlocks,
  TRON: createTronBlocks,
  LTC: createUtxoBlocks,
  BTC: createUtxoBlocks,
};

function serve(task: ChainTask): void {
  const answer = MAKE[task.network](task);
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      response.setHeader('content-type', 'application/json');
      const question = text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
      for (const part of answer(request.url ?? '', question)) response.write(part);
      response.end();
    });
  });
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
}

process.once('message', (task: ChainTask) => serve(task));
process.once('disconnect', () => process.exit());
