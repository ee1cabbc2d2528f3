// Stopping one process of several: what load balancers and clients are told while it drains.

import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { WebSocket } from 'ws';
import { send } from '../support/clients.ts';
import { createTestDatabase, makeTestFolder, type TestDatabase } from '../support/database/database.ts';
import { findFreePort } from '../support/gateway/gateway.ts';
import { until } from '../support/until.ts';
import { startProgram, type Program } from './programs.fixture.ts';

let database: TestDatabase;
let folder: string;
let program: Program;
let url: string;
beforeAll(async () => {
  database = await createTestDatabase();
  folder = await makeTestFolder('drain');
});
afterEach(() => program.kill());
afterAll(() => database.drop());

async function start(graceSeconds: number): Promise<void> {
  const port = String(await findFreePort());
  url = `http://127.0.0.1:${port}`;
  program = startProgram({
    ...{ DATA_DIR: folder, DATABASE_URL: database.url, SANDBOX_NETWORKS: '', LOG_LEVEL: 'fatal' },
    ...{ HOST: '127.0.0.1', PORT: port, TURNPIKE_SECRET: 'only-for-this-test-00000000000000000' },
    SHUTDOWN_GRACE_SECONDS: String(graceSeconds),
  });
  await program.ready;
}

/** A web socket that is ready for operations, and the code with which it is closed. */
async function openSocket() {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
  const closed = once(socket, 'close').then(([code]) => Number(code));
  await once(socket, 'open');
  socket.send('{"type":"connection_init"}');
  await once(socket, 'message');
  return { socket, closed };
}

const get = (path: string) => send({ method: 'GET', url: url + path });

describe('a process that was told to stop', () => {
  it('says for the whole grace period that it goes, and still answers; a second signal ends the period', async () => {
    await start(3_600);
    expect((await get('/readyz')).status).toBe(200);
    const [first, second] = [await openSocket(), await openSocket()];
    process.kill(program.pid, 'SIGTERM');
    const { text } = await until(async () => {
      const answer = await get('/readyz');
      return answer.status === 503 ? answer : null;
    });
    expect(JSON.parse(text)).toEqual({
      status: 'not ready',
      faults: { shutdown: 'this process is about to stop' },
    });
    expect(await first.closed).toBe(1012);
    const answered = await get('/api/v1/currencies');
    expect([answered.status, answered.headers['connection']]).toEqual([200, 'close']);
    expect((await get('/healthz')).status).toBe(200);
    // Its turn would come in half an hour.
    expect(second.socket.readyState).toBe(WebSocket.OPEN);
    process.kill(program.pid, 'SIGTERM');
    expect(await second.closed).toBe(1001);
    expect(await program.exited).toBe(0);
  });

  it('has told every socket to connect elsewhere by the end of the period, and then stops', async () => {
    await start(1);
    const sockets = await Promise.all(Array.from({ length: 20 }, openSocket));
    process.kill(program.pid, 'SIGTERM');
    const codes = await Promise.all(sockets.map(({ closed }) => closed));
    expect(await program.exited).toBe(0);
    // On a machine that is busy elsewhere, the last ones may be met by the end.
    expect(codes[0]).toBe(1012);
    expect(codes.filter((code) => code !== 1012 && code !== 1001)).toEqual([]);
  });

  it('stops at once where no period is set', async () => {
    await start(0);
    const { closed } = await openSocket();
    process.kill(program.pid, 'SIGTERM');
    expect(await closed).toBe(1001);
    expect(await program.exited).toBe(0);
  });
});
