// A node of an EVM chain that shows ten times the amount of every token transfer while it is told to lie. It does not
// say that it is a development node, so what follows it can simulate nothing on it.

import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface LyingNode {
  readonly url: string;
  lie(lies: boolean): void;
  /** How many amounts it has shown wrongly. */
  lies(): number;
  stop(): Promise<void>;
}

interface Question {
  readonly id: unknown;
  readonly method: string;
}

/** The first topic of a token's Transfer. */
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

/** Starts one in front of a node, honest at first. */
export async function startLyingNode(target: string): Promise<LyingNode> {
  let isLying = false;
  let count = 0;

  /** The value with ten times the amount in every log of a transfer, at any depth. */
  const twist = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(twist);
    if (typeof value !== 'object' || value === null) return value;
    const copy = Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, twist(inner)]));
    const { topics, data } = copy;
    if (!Array.isArray(topics) || topics[0] !== TRANSFER || typeof data !== 'string') return copy;
    count += 1;
    return { ...copy, data: `0x${(10n * BigInt(data)).toString(16).padStart(64, '0')}` };
  };

  async function answer(body: string): Promise<string> {
    const asked = JSON.parse(body) as Question | Question[];
    const questions = Array.isArray(asked) ? asked : [asked];
    const own = questions.find(({ method }) => method === 'web3_clientVersion');
    if (own) return JSON.stringify({ jsonrpc: '2.0', id: own.id, result: 'geth/v1' });
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(target, { method: 'POST', headers, body });
    const said = await response.text();
    return isLying ? JSON.stringify(twist(JSON.parse(said))) : said;
  }

  const server = createServer((request, response) => {
    readText(request)
      .then(answer)
      .then(
        (text) => response.setHeader('content-type', 'application/json').end(text),
        () => response.writeHead(502).end(),
      );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    lie: (lies) => void (isLying = lies),
    lies: () => count,
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

async function readText(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
