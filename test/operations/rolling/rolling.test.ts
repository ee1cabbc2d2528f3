// API processes are restarted one after the other while callers go on: behind HAProxy, which asks them how they are,
// and behind a balancer that hears late that one has gone.

import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { openApiProcesses, type ApiProcess, type ApiProcesses } from '../../gateway/processes/api-processes.fixture.ts';
import { newMerchant, type TestMerchant } from '../../support/clients.ts';
import { startHaProxy, type HaProxy } from './haproxy.fixture.ts';
import { startLateEndpoints, type LateEndpoints } from './late-endpoints.fixture.ts';
import { startLoad, type Figures, type Load } from './load.fixture.ts';

jest.setTimeout(1_800_000);

/** Longer than HAProxy's three failed checks take on a machine that is busy. */
const GRACE_SECONDS = 10;
const ROUNDS = 3;
const LATE_MS = 3_000;
/** Between two restarts, so that callers use both processes. */
const CALLS_BETWEEN = 100;

let processes: ApiProcesses;
let shop: TestMerchant;
beforeAll(async () => {
  processes = await openApiProcesses({ TRUST_PROXY: '127.0.0.1', LOG_LEVEL: 'error' });
  shop = await newMerchant(processes.gateway);
});
afterAll(() => processes.stop());

const portOf = ({ url }: ApiProcess): number => Number(new URL(url).port);

/** Two API processes with a period for draining. */
const launchTwo = async (graceSeconds: number): Promise<[ApiProcess, ApiProcess]> => {
  const grace = { SHUTDOWN_GRACE_SECONDS: String(graceSeconds) };
  return [await processes.launch(grace), await processes.launch(grace)];
};

function print(what: string, { answered, errors, closed }: Figures): void {
  const texts = [errors, closed].map((counts) => JSON.stringify(counts));
  process.stdout.write(`${what}: ${answered} answered, errors ${texts[0]}, sockets closed ${texts[1]}\n`);
}

describe('behind HAProxy', () => {
  let proxy: HaProxy;
  let load: Load;
  let servers: [ApiProcess, ApiProcess];
  beforeAll(async () => {
    servers = await launchTwo(GRACE_SECONDS);
    proxy = await startHaProxy([portOf(servers[0]), portOf(servers[1])]);
    for (const name of ['api1', 'api2']) await proxy.untilUp(name);
    load = startLoad({ url: proxy.url, token: shop.token });
  });
  afterAll(async () => {
    await load?.stop();
    await proxy?.stop();
    await Promise.all((servers ?? []).map((server) => server.program().stop()));
  });

  it('six restarts meet nobody: no error, no connection reset, and every subscription comes back', async () => {
    await load.untilAllTold();
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const [index, server] of servers.entries()) {
        await load.untilAnswered(CALLS_BETWEEN);
        await server.program().stop();
        await server.restart();
        await proxy.untilUp(`api${index + 1}`);
        await load.untilAllTold();
      }
    }
    await load.untilAnswered(CALLS_BETWEEN);
    const figures = load.figures();
    print('HAProxy, six restarts', figures);
    expect(figures.errors).toEqual({});
    expect(figures.answered).toBeGreaterThan(6 * CALLS_BETWEEN);
    // 1012 while it drains, 1001 at its end; 1006 would be a connection that just broke.
    expect(Object.keys(figures.closed).filter((code) => !['1012', '1001'].includes(code))).toEqual([]);
    expect(figures.closed['1012']).toBeGreaterThan(0);
  });
});

describe('behind endpoints that are three seconds late', () => {
  let endpoints: LateEndpoints;
  let servers: [ApiProcess, ApiProcess];

  /**
   * Restarts both processes, one after the other, under callers. Endpoints are late by a time or, for those who want to
   * see an error, until a caller has met one.
   */
  async function restartBoth(graceSeconds: number, late: 'by time' | 'until met'): Promise<Figures> {
    servers = await launchTwo(graceSeconds);
    endpoints = await startLateEndpoints(LATE_MS);
    for (const server of servers) endpoints.add(portOf(server));
    // With a connection for each call, callers keep on meeting an endpoint that is gone.
    const load = startLoad({ url: endpoints.url, token: shop.token, keepAlive: late === 'by time' });
    try {
      await load.untilAllTold();
      for (const server of servers) {
        await load.untilAnswered(CALLS_BETWEEN);
        if (late === 'by time') endpoints.removeLate(portOf(server));
        await server.program().stop();
        if (late === 'until met') await load.untilError();
        endpoints.remove(portOf(server));
        await server.restart();
        endpoints.add(portOf(server));
        await load.untilAllTold();
      }
      return load.figures();
    } finally {
      await load.stop();
      await endpoints.stop();
      await Promise.all(servers.map((server) => server.program().stop()));
    }
  }

  it('nobody meets an error with a period for draining that is longer', async () => {
    const figures = await restartBoth(GRACE_SECONDS, 'by time');
    print(`Endpoints ${LATE_MS} ms late, ${GRACE_SECONDS} s of draining`, figures);
    expect(figures.errors).toEqual({});
  });

  it('callers meet errors without one, so the test would see them', async () => {
    const figures = await restartBoth(0, 'until met');
    print('Endpoints late, no draining', figures);
    expect(Object.keys(figures.errors)).not.toEqual([]);
  });
});
