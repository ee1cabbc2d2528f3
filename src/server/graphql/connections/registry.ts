// The registry of connections for live updates, web sockets and event streams together: it limits their number and ends
// those whose callers lost access. One for each process.

import type { Logger } from 'pino';
import type { Access } from '../../../access/caller.ts';
import { GatewayError } from '../../../values/errors.ts';
import { addressBucket } from '../../../values/internet/address-bucket.ts';
import { createSharedMemory, type SharedMemory } from '../../admission/shared-memory.ts';
import { SOCKET_LIMITS, type SocketLimits } from './limits.ts';
import { createSessions, type Session, type SessionEnd } from './sessions.ts';

interface RegistryDeps {
  readonly access: Access;
  readonly clock: { now(): Date };
  readonly log: Logger;
  readonly socketLimits?: Partial<SocketLimits>;
}

export interface ConnectionRegistry {
  readonly socketLimits: SocketLimits;
  /** What waits to be taken by callers of all kinds, in bytes. */
  readonly unread: SharedMemory;
  /**
   * Takes a place for a connection. Throws 9503 where the process has none left, 9001 where the address has too many.
   */
  enter(ip: string): Place;
  /** Admits a bearer, or throws what `Access.recheck` throws; `onEnd` is called, once, when they may not go on. */
  join(bearer: string, ip: string, place: Place, onEnd: SessionEnd): Promise<Admission>;
  /** Connections; for metrics. */
  size(): number;
  /** How many were refused, by the limit that was reached; for metrics. */
  refused(): ReadonlyMap<string, number>;
  stop(): void;
}

/** The place of a connection. Until its merchant is known it counts among the anonymous ones of its address. */
export interface Place {
  /** Counts the connection as a merchant's, no longer as an anonymous one of its address. */
  claim(): void;
  /** Gives the place back; may be called repeatedly. */
  leave(): void;
}

export interface Admission {
  /** Must be left even if there are too many connections. */
  readonly session: Session;
  /** The merchant has more connections than they may. */
  readonly isTooMany: boolean;
}

/** Seconds after which a refused caller may try again: places become free as others leave. */
export const TRY_AGAIN = { process: 5, address: 30, merchant: 30 } as const;

/** Makes the registry of this process. */
export function createConnectionRegistry({ socketLimits: given, ...deps }: RegistryDeps): ConnectionRegistry {
  const socketLimits: SocketLimits = { ...SOCKET_LIMITS, ...given };
  const sessions = createSessions(deps);
  const byMerchant = createCount();
  // Two counts, anonymous and all: where registration is open, one person can have any number of merchants and tokens.
  const byAddress = createCount();
  const allByAddress = createCount();
  const refused = new Map(['process', 'address', 'merchant'].map((reason) => [reason, 0]));
  const refuse = (reason: string) => void refused.set(reason, (refused.get(reason) ?? 0) + 1);
  let connections = 0;

  function enter(ip: string): Place {
    if (connections >= socketLimits.socketsPerProcess) {
      refuse('process');
      throw new GatewayError('OVERLOADED', { retryAfterSeconds: TRY_AGAIN.process });
    }
    const block = addressBucket(ip);
    const isTooMany =
      byAddress.of(block) >= socketLimits.socketsPerAddress ||
      allByAddress.of(block) >= socketLimits.socketsPerAddressInAll;
    if (isTooMany) {
      refuse('address');
      const message = 'Too many connections for live updates from your address';
      throw new GatewayError('RATE_LIMITED', { message, retryAfterSeconds: TRY_AGAIN.address });
    }
    connections += 1;
    byAddress.add(block, 1);
    allByAddress.add(block, 1);
    let isOfAddress = true;
    let isLeft = false;
    const claim = () => {
      if (isOfAddress) byAddress.add(block, -1);
      isOfAddress = false;
    };
    const leave = () => {
      claim();
      if (isLeft) return;
      isLeft = true;
      connections -= 1;
      allByAddress.add(block, -1);
    };
    return { claim, leave };
  }

  return {
    socketLimits,
    unread: createSharedMemory({ most: socketLimits.unreadBytesOfAll, free: socketLimits.unreadShareBytes }),
    enter,
    size: () => connections,
    refused: () => refused,
    stop: sessions.stop,
    async join(bearer, ip, place, onEnd) {
      const session = await sessions.join(bearer, ip, onEnd);
      const { merchantId } = session.caller();
      place.claim();
      const isTooMany = byMerchant.add(merchantId, 1) > socketLimits.socketsPerMerchant;
      if (isTooMany) refuse('merchant');
      const leave = () => {
        byMerchant.add(merchantId, -1);
        session.leave();
      };
      return { session: { ...session, leave }, isTooMany };
    },
  };
}

/** Counts by name. Names with a count of zero are forgotten. */
function createCount() {
  const counts = new Map<string, number>();
  const of = (name: string) => counts.get(name) ?? 0;
  return {
    of,
    add(name: string, by: 1 | -1): number {
      const now = of(name) + by;
      if (now === 0) counts.delete(name);
      else counts.set(name, now);
      return now;
    },
  };
}
