// A process that sockets connect to and that reports its memory: a gateway, a bare graphql-ws server whose subscription
// sends one message, or a bare ws server that echoes.

import { GraphQLObjectType, GraphQLSchema, GraphQLString } from 'graphql';
import { useServer } from 'graphql-ws/use/ws';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { WebSocketServer } from 'ws';
import { readConfig } from '../../src/config/config.ts';
import { createGateway } from '../../src/gateway/gateway.ts';
import { serve } from './process.ts';

export type ServerKind = 'gateway' | 'graphql-ws' | 'ws';

/** Memory in bytes, after garbage collection. */
export interface Memory {
  readonly rss: number;
  /** The heap and the external memory of its objects. */
  readonly heap: number;
}

const commands = { open, measure, cpuMs };
export type ServerCommands = typeof commands;

let stop = (): Promise<void> => Promise.resolve();
serve(commands, () => stop());

/** Starts the server; `env` is a gateway's environment. Returns the port. */
async function open({ kind, env }: { kind: ServerKind; env: Record<string, string> }): Promise<number> {
  if (kind === 'gateway') {
    const config = readConfig(env);
    const gateway = await createGateway(config, { log: pino({ level: 'warn' }) });
    stop = () => gateway.stop();
    return config.port;
  }
  const server = createServer();
  const wss = new WebSocketServer({ server, perMessageDeflate: false });
  if (kind === 'ws') wss.on('connection', (socket) => socket.on('message', (data: Buffer) => socket.send(data)));
  else useServer({ schema: onceSchema() }, wss);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

async function measure(): Promise<Memory> {
  for (let i = 0; i < 3; i += 1) {
    globalThis.gc?.();
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const { rss, heapUsed, external } = process.memoryUsage();
  return { rss, heap: heapUsed + external };
}

/** The CPU time used so far, in milliseconds. */
async function cpuMs(): Promise<number> {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

function onceSchema(): GraphQLSchema {
  const once = () => {
    let asked = false;
    const iterator: AsyncIterableIterator<{ state: string }> = {
      next: () => {
        if (asked) return new Promise(() => undefined);
        asked = true;
        return Promise.resolve({ done: false, value: { state: 'PENDING' } });
      },
      return: () => Promise.resolve({ done: true, value: undefined }),
      [Symbol.asyncIterator]: () => iterator,
    };
    return iterator;
  };
  const query = new GraphQLObjectType({ name: 'Query', fields: { state: { type: GraphQLString } } });
  const fields = { state: { type: GraphQLString, subscribe: once } };
  return new GraphQLSchema({ query, subscription: new GraphQLObjectType({ name: 'Subscription', fields }) });
}
