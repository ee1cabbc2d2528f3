// Limits open connections, in all and by address. Each takes a file descriptor from the moment it is accepted, even if
// nothing is ever sent on it.

import type { Server } from 'node:net';
import { addressBucket } from '../../values/internet/address-bucket.ts';

interface ConnectionLimits {
  /** Of all callers together. */
  readonly most: number;
  /** Of one address, IPv6 by its /64; 0: no limit. */
  readonly mostOfAddress: number;
  /** Whether an address has no limit: a proxy's, which stands for many callers. */
  readonly isExempt: (address: string) => boolean;
}

export interface Connections {
  /** Open connections; for metrics. */
  size(): number;
  /** How many were refused, by the limit that was reached; for metrics. */
  refused(): ReadonlyMap<'process' | 'address', number>;
}

/** Begins to count the connections of a server. One above the limit is closed before anything is read from it. */
export function limitConnections(server: Server, { most, mostOfAddress, isExempt }: ConnectionLimits): Connections {
  const byAddress = new Map<string, number>();
  const refused = new Map<'process' | 'address', number>([
    ['process', 0],
    ['address', 0],
  ]);
  let size = 0;

  server.prependListener('connection', (socket) => {
    const address = socket.remoteAddress ?? '';
    const block = mostOfAddress > 0 && !isExempt(address) ? addressBucket(address) : null;
    const ofAddress = block === null ? 0 : (byAddress.get(block) ?? 0);
    const tooMany = size >= most ? 'process' : block !== null && ofAddress >= mostOfAddress ? 'address' : null;
    if (tooMany !== null) {
      refused.set(tooMany, (refused.get(tooMany) ?? 0) + 1);
      return void socket.destroy();
    }
    size += 1;
    if (block !== null) byAddress.set(block, ofAddress + 1);
    socket.once('close', () => {
      size -= 1;
      if (block === null) return;
      const left = (byAddress.get(block) ?? 1) - 1;
      if (left === 0) byAddress.delete(block);
      else byAddress.set(block, left);
    });
  });
  return { size: () => size, refused: () => refused };
}
