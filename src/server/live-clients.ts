// Who is connected for live updates, by web socket or by event stream: whether their callers still may, and how many
// there are. One for each process, so that both ways share the limits.

import type { Logger } from 'pino';
import type { Access } from '../access/caller.ts';
import { SOCKET_LIMITS, type SocketLimits } from './socket-limits.ts';
import { createSessions, type Session, type SessionEnd } from './socket-sessions.ts';

interface LiveClientsDeps {
  readonly access: Access;
  readonly clock: { now(): Date };
  readonly log: Logger;
  readonly socketLimits?: Partial<SocketLimits>;
}

export interface LiveClients {
  readonly socketLimits: SocketLimits;
  /** Counts a connection; false when it is one too many. `leave` follows in either case. */
  enter(): boolean;
  leave(): void;
  /** Admits a bearer, unless he throws what `Access.recheck` throws; `onEnd` is called, once, when he may not go on. */
  join(bearer: string, ip: string, onEnd: SessionEnd): Promise<Admission>;
  /** Connections; for metrics. */
  size(): number;
  stop(): void;
}

export interface Admission {
  /** To be left in either case. */
  readonly session: Session;
  /** The merchant has more connections than he may. */
  readonly isTooMany: boolean;
}

/** Makes the register of this process. */
export function createLiveClients({ socketLimits: given, ...deps }: LiveClientsDeps): LiveClients {
  const socketLimits: SocketLimits = { ...SOCKET_LIMITS, ...given };
  const sessions = createSessions(deps);
  const byMerchant = new Map<string, number>();
  let connections = 0;

  function count(merchantId: string, by: 1 | -1): number {
    const now = (byMerchant.get(merchantId) ?? 0) + by;
    if (now === 0) byMerchant.delete(merchantId);
    else byMerchant.set(merchantId, now);
    return now;
  }

  return {
    socketLimits,
    size: () => connections,
    stop: sessions.stop,
    enter: () => (connections += 1) <= socketLimits.socketsPerProcess,
    leave: () => void (connections -= 1),
    async join(bearer, ip, onEnd) {
      const session = await sessions.join(bearer, ip, onEnd);
      const { merchantId } = session.caller();
      const isTooMany = count(merchantId, 1) > socketLimits.socketsPerMerchant;
      const leave = () => {
        count(merchantId, -1);
        session.leave();
      };
      return { session: { ...session, leave }, isTooMany };
    },
  };
}
