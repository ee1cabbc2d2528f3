// Whether the callers of open sockets still may: one look for each token and address, however many sockets share them.

import type { Logger } from 'pino';
import type { Access, Caller } from '../access/caller.ts';
import { GatewayError } from '../values/errors.ts';

/** Key states are up to 800 ms old where they come from; with this a revocation closes sockets within a second. */
const CHECK_EVERY_MS = 150;
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** A caller with open sockets. */
export interface Session {
  /** As of the last look. */
  readonly caller: Caller;
  /** Looks again; false, and the sockets are told, when the caller may not go on. */
  check(): Promise<boolean>;
}

export interface Sessions {
  /** Admits a bearer. Throws what `Access.recheck` throws. */
  open(bearer: string, ip: string): Promise<Session>;
  /** `onEnd` is called, once, when the caller may not go on. Returns the function that leaves the session. */
  join(session: Session, onEnd: () => void): () => void;
  stop(): void;
}

interface SessionDeps {
  readonly access: Access;
  readonly clock: { now(): Date };
  readonly log: Logger;
}

interface Entry extends Session {
  caller: Caller;
  readonly sockets: Set<() => void>;
  readonly key: string;
  expiry: NodeJS.Timeout | undefined;
}

/** Makes the sessions of this process. */
export function createSessions({ access, clock, log }: SessionDeps): Sessions {
  const entries = new Map<string, Entry>();
  const timer = setInterval(() => {
    for (const entry of entries.values()) void entry.check();
  }, CHECK_EVERY_MS);
  timer.unref();

  function end(entry: Entry): void {
    clearTimeout(entry.expiry);
    if (entries.get(entry.key) === entry) entries.delete(entry.key);
    for (const onEnd of [...entry.sockets]) onEnd();
    entry.sockets.clear();
  }

  async function check(entry: Entry, bearer: string, ip: string): Promise<boolean> {
    try {
      const caller = await access.recheck(bearer, ip);
      // A narrowed key ends its sockets like a revoked one: what they have open may be what it lost.
      if (![...entry.caller.permissions].every((permission) => caller.permissions.has(permission)))
        throw new GatewayError('MISSING_PERMISSION');
      entry.caller = caller;
      return true;
    } catch (error) {
      if (error instanceof GatewayError) end(entry);
      else log.warn({ err: error }, 'the caller of a socket could not be checked; it will be tried again');
      return false;
    }
  }

  return {
    async open(bearer, ip) {
      const caller = await access.recheck(bearer, ip);
      const key = `${ip} ${bearer}`;
      const known = entries.get(key);
      if (known) return known;
      const entry: Entry = {
        key,
        caller,
        sockets: new Set(),
        check: () => check(entry, bearer, ip),
        expiry: undefined,
      };
      return entry;
    },
    join(session, onEnd) {
      const entry = session as Entry;
      if (entry.sockets.size === 0) {
        entries.set(entry.key, entry);
        const leftMs = entry.caller.expiresAt === null ? Infinity : entry.caller.expiresAt.getTime() - clock.now().getTime();
        if (leftMs <= LONGEST_TIMER_MS) entry.expiry = setTimeout(() => void entry.check(), leftMs + 1).unref();
      }
      entry.sockets.add(onEnd);
      return () => {
        if (!entry.sockets.delete(onEnd) || entry.sockets.size > 0) return;
        clearTimeout(entry.expiry);
        if (entries.get(entry.key) === entry) entries.delete(entry.key);
      };
    },
    stop: () => clearInterval(timer),
  };
}
