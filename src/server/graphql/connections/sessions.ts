// Rechecks the callers of open sockets and streams: one check for each token and address, shared by all their
// connections.

import type { Logger } from 'pino';
import type { Access, Caller } from '../../../access/caller.ts';
import { GatewayError } from '../../../values/errors.ts';

/** Key states are up to 250 ms old; with this interval a revocation closes sockets within a second. */
const CHECK_EVERY_MS = 150;
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Called with the reason why a caller lost access: 1002, 1003, 1004 or 1006. */
export type SessionEnd = (reason: GatewayError) => void;

/** The part of one connection in the checks of its caller. */
export interface Session {
  /** From the last check. */
  caller(): Caller;
  /** Checks again. If the caller lost access, returns false and calls `onEnd` of all its connections. */
  check(): Promise<boolean>;
  leave(): void;
}

export interface Sessions {
  /** Admits a bearer; `onEnd` is called, once, when they may not go on. Throws what `Access.recheck` throws. */
  join(bearer: string, ip: string, onEnd: SessionEnd): Promise<Session>;
  stop(): void;
}

interface SessionDeps {
  readonly access: Access;
  readonly clock: { now(): Date };
  readonly log: Logger;
}

interface Entry {
  readonly key: string;
  readonly bearer: string;
  readonly ip: string;
  readonly sockets: Set<SessionEnd>;
  caller: Caller;
  expiry: NodeJS.Timeout | undefined;
}

/** Makes the sessions of this process. */
export function createSessions({ access, clock, log }: SessionDeps): Sessions {
  const entries = new Map<string, Entry>();
  const timer = setInterval(() => {
    for (const entry of entries.values()) void check(entry);
  }, CHECK_EVERY_MS);
  timer.unref();

  function forget(entry: Entry): void {
    clearTimeout(entry.expiry);
    if (entries.get(entry.key) === entry) entries.delete(entry.key);
  }

  async function check(entry: Entry): Promise<boolean> {
    try {
      const caller = await access.recheck(entry.bearer, entry.ip);
      // A narrowed key ends its sockets like a revoked one: what they have open may be what it lost.
      const lost = [...entry.caller.permissions].find((permission) => !caller.permissions.has(permission));
      if (lost) throw new GatewayError('MISSING_PERMISSION', { message: `Missing permission: ${lost}` });
      entry.caller = caller;
      return true;
    } catch (error) {
      if (!(error instanceof GatewayError)) {
        log.warn({ err: error }, 'the caller of a socket could not be checked; it will be tried again');
        return false;
      }
      forget(entry);
      for (const onEnd of [...entry.sockets]) onEnd(error);
      entry.sockets.clear();
      return false;
    }
  }

  function entryOf(bearer: string, ip: string, caller: Caller): Entry {
    const key = `${ip} ${bearer}`;
    const known = entries.get(key);
    if (known) return known;
    const entry: Entry = { key, bearer, ip, caller, sockets: new Set(), expiry: undefined };
    entries.set(key, entry);
    const leftMs = caller.expiresAt === null ? Infinity : caller.expiresAt.getTime() - clock.now().getTime();
    if (leftMs <= LONGEST_TIMER_MS) entry.expiry = setTimeout(() => void check(entry), leftMs + 1).unref();
    return entry;
  }

  return {
    async join(bearer, ip, onEnd) {
      const entry = entryOf(bearer, ip, await access.recheck(bearer, ip));
      entry.sockets.add(onEnd);
      return {
        caller: () => entry.caller,
        check: () => check(entry),
        leave() {
          if (entry.sockets.delete(onEnd) && entry.sockets.size === 0) forget(entry);
        },
      };
    },
    stop: () => clearInterval(timer),
  };
}
