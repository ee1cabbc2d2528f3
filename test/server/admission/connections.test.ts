// Limits on callers' connections: no caller takes the file descriptors that others, the database and the nodes need.

import { afterEach, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { pino } from 'pino';
import type { Caller } from '../../../src/access/caller.ts';
import { socketLimitsOf } from '../../../src/gateway/admission.ts';
import { limitConnections, type Connections } from '../../../src/server/admission/connections.ts';
import { descriptorLimit, shareDescriptors } from '../../../src/server/admission/descriptors.ts';
import { createConnectionRegistry } from '../../../src/server/graphql/connections/registry.ts';
import { until } from '../../support/until.ts';

describe('the descriptors of a process', () => {
  it.each([
    [256, { connections: 128, liveConnections: 96 }],
    [1_024, { connections: 768, liveConnections: 576 }],
    [20_000, { connections: 18_000, liveConnections: 13_500 }],
    [1_048_576, { connections: 1_046_576, liveConnections: 20_000 }],
    [Infinity, { connections: Infinity, liveConnections: 20_000 }],
  ])('%s are shared out with a part left for calls, and one for the database and nodes', (limit, shares) => {
    expect(shareDescriptors(limit)).toEqual(shares);
  });

  it('are as many as the system says', () => {
    const { stdout } = spawnSync('bash', ['-c', 'ulimit -n']);
    const said = String(stdout).trim();
    expect(descriptorLimit()).toBe(said === 'unlimited' ? Infinity : Number(said));
  });
});

describe('connections', () => {
  let server: Server;
  let open: Socket[] = [];
  afterEach(async () => {
    for (const socket of open) socket.destroy();
    open = [];
    server.close();
    await once(server, 'close');
  });

  async function serve(limits: Parameters<typeof limitConnections>[1]): Promise<Connections> {
    server = createServer((socket) => {
      socket.on('error', () => undefined);
      if (!socket.destroyed) socket.write('x');
    });
    const connections = limitConnections(server, limits);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return connections;
  }

  /** Whether a new connection is accepted; it stays open. */
  async function isTaken(localAddress = '127.0.0.1'): Promise<boolean> {
    const socket = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', localAddress });
    open.push(socket);
    socket.on('error', () => undefined);
    return await new Promise((resolve) => {
      socket.once('data', () => resolve(true));
      socket.once('close', () => resolve(false));
    });
  }

  it('one too many of an address is cut, and another address is let in; closing one makes room', async () => {
    const { size, refused } = await serve({ most: 100, mostOfAddress: 2, isExempt: () => false });
    expect([await isTaken(), await isTaken(), await isTaken()]).toEqual([true, true, false]);
    expect(await isTaken('127.0.0.2')).toBe(true);
    expect([size(), refused().get('address')]).toEqual([3, 1]);
    open[0]?.destroy();
    await until(() => size() === 2);
    expect(await isTaken()).toBe(true);
  });

  it('a proxy may have as many as there are, and nobody more', async () => {
    const { size, refused } = await serve({ most: 3, mostOfAddress: 1, isExempt: (ip) => ip === '127.0.0.1' });
    expect([await isTaken(), await isTaken(), await isTaken(), await isTaken()]).toEqual([true, true, true, false]);
    expect([size(), refused().get('process')]).toEqual([3, 1]);
  });
});

describe('live updates', () => {
  it('of one address are half of the process at most, whatever number of merchants they are of', async () => {
    // Each token is of another merchant.
    const recheck = (merchantId: string) => Promise.resolve({ merchantId, expiresAt: null } as Caller);
    const access = { recheck, authenticate: recheck, checkAddress: () => Promise.resolve() };
    const socketLimits = {
      socketsPerProcess: 6,
      socketsPerMerchant: 3,
      socketsPerAddress: 2,
      socketsPerAddressInAll: 3,
    };
    const deps = { access, clock: { now: () => new Date() }, log: pino({ level: 'silent' }), socketLimits };
    const clients = createConnectionRegistry(deps);
    const enter = async (token: string, ip: string) => {
      const place = clients.enter(ip);
      await clients.join(token, ip, place, () => undefined);
      return place;
    };
    const [first] = [await enter('a', '2001:db8::1'), await enter('b', '2001:db8::2'), await enter('c', '2001:db8::3')];
    await expect(enter('d', '2001:db8::4')).rejects.toMatchObject({ errorName: 'RATE_LIMITED' });
    expect([clients.size(), clients.refused().get('address')]).toEqual([3, 1]);
    await enter('d', '2001:db8:0:1::1');
    first.leave();
    first.leave();
    await enter('d', '2001:db8::4');
    await expect(enter('e', '2001:db8::5')).rejects.toMatchObject({ errorName: 'RATE_LIMITED' });
    clients.stop();
  });

  it('keep that limit where there is none for those without a token', () => {
    const limits = socketLimitsOf({ socketsPerAddress: 0 } as Parameters<typeof socketLimitsOf>[0], 1_024);
    expect(limits).toMatchObject({ socketsPerAddress: Infinity, socketsPerAddressInAll: 288, socketsPerMerchant: 288 });
  });
});
