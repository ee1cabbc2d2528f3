// Lends gateways to test files: a file whose wishes are those of an earlier one gets the same gateway again, and never
// two at a time. Loading the program anew costs a test file more than most of them take.

import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { Opened } from './gateway-process.ts';

/** The environment variable by which test files find who lends. */
export const LENDER_VARIABLE = 'TURNPIKE_TEST_LENDER';

interface Lent {
  readonly wish: string;
  readonly child: ChildProcess;
  readonly opened: Opened;
  free: boolean;
}

const PROGRAM = fileURLToPath(new URL('./gateway-process.js', import.meta.url));

export interface Lender {
  readonly url: string;
  /** Ends all gateways. */
  close(): Promise<void>;
}

/** Starts who lends, in the process that jest's set-up runs in: `POST /` borrows, `DELETE /PID` gives back. */
export async function startLender(): Promise<Lender> {
  const gateways: Lent[] = [];
  const starting = new Set<ChildProcess>();

  const borrow = async (wish: string): Promise<Lent> => {
    const known = gateways.find((one) => one.free && one.wish === wish && one.child.connected);
    if (known) {
      known.free = false;
      return known;
    }
    const child = fork(PROGRAM, [wish]);
    starting.add(child);
    const ended = once(child, 'exit').then((): Opened => ({ failure: 'The process of the gateway ended' }));
    const told = once(child, 'message').then(([message]) => message as Opened);
    const one = { wish, child, opened: await Promise.race([told, ended]), free: false };
    starting.delete(child);
    gateways.push(one);
    return one;
  };

  const server = createServer((request, response) => {
    void (async () => {
      if (request.method === 'DELETE') {
        const one = gateways.find(({ child }) => `/${String(child.pid)}` === request.url);
        if (one) one.free = true;
        return {};
      }
      const { child, opened } = await borrow(await textOf(request));
      return { ...opened, pid: child.pid };
    })().then((answer) => response.end(JSON.stringify(answer)));
  });
  // A test file asks after a long time again, on the same connection: it must not be closed just then.
  server.keepAliveTimeout = 0;
  await once(server.listen(0, '127.0.0.1'), 'listening');
  server.unref();
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.close();
      server.closeAllConnections();
      const children = [...gateways.map(({ child }) => child), ...starting].filter(({ connected }) => connected);
      await Promise.all(
        children.map((child) => {
          child.disconnect();
          return once(child, 'exit');
        }),
      );
    },
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
