// A TCP proxy to the test's PostgreSQL that can cut connections at a chosen statement, before or after the server has
// executed it, and can fall silent without closing anything.

import { createConnection, createServer, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';

export interface PostgresProxy {
  /** The same database, through the proxy. */
  readonly url: string;
  /**
   * Waits for the next bytes to the server that match, read as Latin-1. `before`: they never arrive there. `after`: the
   * server has executed them, but its answer does not arrive. Resolves with a function that cuts both ends.
   */
  catchNext(statement: RegExp, when: 'before' | 'after'): Promise<() => void>;
  /** The same with the commit of the next transaction that has a statement that matches. */
  catchCommitOf(statement: RegExp, when: 'before' | 'after'): Promise<() => void>;
  /**
   * From now on nothing passes in either direction, on open connections and new ones, and nothing is closed: bytes are
   * accepted and lost. With `old`, new connections work. Resolves with a function that ends this: new connections work
   * again; those that were open at the time stay silent for good.
   */
  fallSilent(which?: 'all' | 'old'): () => void;
  /** Cuts open connections, and leads to another server from now on, like a failover. */
  turnTo(databaseUrl: string): void;
  stop(): Promise<void>;
}

interface Trap {
  readonly statement: RegExp;
  /** What the transaction must have had before. */
  readonly within: RegExp | null;
  readonly when: 'before' | 'after';
  readonly caught: (cut: () => void) => void;
}

/**
 * The end of a transaction: a Query message of this one word, with its length before it and NUL after it. The word
 * alone also occurs in other statements, as in the setting `synchronous_commit`.
 */
export const COMMIT = /Q[^]{4}commit\0/i;
const BEGIN = /Q[^]{4}(begin|start transaction)[^]*?\0/i;

/** Listens in front of a database that is reached by a Unix socket; without `fixedPort`, on one of its own. */
export async function startPostgresProxy(databaseUrl: string, fixedPort = 0): Promise<PostgresProxy> {
  let path = socketOf(databaseUrl);
  const open = new Set<Socket>();
  let trap: Trap | null = null;
  let silent = false;
  const mutes = new Set<() => void>();

  const server = createServer((client) => {
    const upstream = createConnection({ path });
    let held = false;
    let muted = silent;
    let isWithin = false;
    const mute = () => void (muted = true);
    mutes.add(mute);
    const cut = () => {
      client.resetAndDestroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) {
      open.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => muted || cut());
      socket.on('close', () => {
        open.delete(socket);
        mutes.delete(mute);
        // While silent, it does not report that the other end has closed either.
        if (!muted) cut();
      });
    }
    let onDone: (() => void) | null = null;
    client.on('data', (chunk: Buffer) => {
      if (held || muted) return;
      const text = trap === null ? '' : chunk.toString('latin1');
      if (BEGIN.test(text)) isWithin = false;
      if (trap?.within?.test(text)) isWithin = true;
      if (trap?.statement.test(text) && (trap.within === null || isWithin)) {
        const { when, caught } = trap;
        trap = null;
        held = true;
        if (when === 'before') return caught(cut);
        onDone = () => caught(cut);
      }
      upstream.write(chunk);
    });
    upstream.on('data', (chunk: Buffer) => {
      if (muted) return;
      if (!held) return void client.write(chunk);
      onDone?.();
      onDone = null;
    });
  });
  await new Promise<void>((resolve) => server.listen(fixedPort, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: Object.assign(new URL(databaseUrl), { hostname: '127.0.0.1', port: String(port) }).href,
    catchNext: (statement, when) => new Promise((caught) => (trap = { statement, within: null, when, caught })),
    catchCommitOf: (within, when) => new Promise((caught) => (trap = { statement: COMMIT, within, when, caught })),
    fallSilent(which = 'all') {
      silent = which === 'all';
      for (const mute of mutes) mute();
      return () => void (silent = false);
    },
    turnTo(other) {
      path = socketOf(other);
      for (const socket of open) socket.destroy();
    },
    async stop() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function socketOf(databaseUrl: string): string {
  const { hostname, port } = new URL(databaseUrl);
  return join(decodeURIComponent(hostname), `.s.PGSQL.${port}`);
}
