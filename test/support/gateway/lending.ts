// Lends gateways to test files: a file with the same settings as an earlier one gets the same gateway, and never two
// files at a time. Loading the program anew costs more than most test files take. An unused gateway ends after a while.

import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { Opened } from './gateway-process.ts';

/** The environment variable with the lender's URL. */
export const LENDER_VARIABLE = 'TURNPIKE_TEST_LENDER';

interface Lent {
  readonly wish: string;
  readonly child: ChildProcess;
  readonly opened: Opened;
  free: boolean;
  /** Ends it, unless it is borrowed before. */
  end?: NodeJS.Timeout;
}

/** An idle gateway and its node use 5% of a core: in this time as much as starting another one. */
const FREE_FOR_MS = 40_000;

const PROGRAM = fileURLToPath(new URL('./gateway-process.js', import.meta.url));

export interface Lender {
  readonly url: string;
  /** Ends all gateways. */
  close(): Promise<void>;
}

/** Starts the lender, in the process of jest's set-up: `POST /` borrows, `DELETE /PID` gives back. */
export async function startLender(): Promise<Lender> {
  const gateways: Lent[] = [];
  const running = new Set<ChildProcess>();

  const borrow = async (wish: string): Promise<Lent> => {
    const known = gateways.find((one) => one.free && one.wish === wish && one.child.connected);
    if (known) {
      known.free = false;
      clearTimeout(known.end);
      return known;
    }
    const child = fork(PROGRAM, [wish]);
    running.add(child);
    child.once('exit', () => running.delete(child));
    const ended = once(child, 'exit').then((): Opened => ({ failure: 'The process of the gateway ended' }));
    const told = once(child, 'message').then(([message]) => message as Opened);
    const one = { wish, child, opened: await Promise.race([told, ended]), free: false };
    gateways.push(one);
    return one;
  };

  const giveBack = (one: Lent): void => {
    one.free = true;
    clearTimeout(one.end);
    one.end = setTimeout(() => {
      gateways.splice(gateways.indexOf(one), 1);
      if (one.child.connected) one.child.disconnect();
    }, FREE_FOR_MS).unref();
  };

  const server = createServer((request, response) => {
    void (async () => {
      if (request.method === 'DELETE') {
        const one = gateways.find(({ child }) => `/${String(child.pid)}` === request.url);
        if (one) giveBack(one);
        return {};
      }
      const { child, opened } = await borrow(await textOf(request));
      return { ...opened, pid: child.pid };
    })().then((answer) => response.end(JSON.stringify(answer)));
  });
  // A test file may ask again after a long time on the same connection, which must not be closed just then.
  server.keepAliveTimeout = 0;
  await once(server.listen(0, '127.0.0.1'), 'listening');
  server.unref();
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.close();
      server.closeAllConnections();
      for (const { end } of gateways) clearTimeout(end);
      await Promise.all(
        [...running].map((child) => {
          if (child.connected) child.disconnect();
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
