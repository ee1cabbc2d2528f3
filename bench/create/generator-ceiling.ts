// Measures the load generator itself, against a server that only answers.

import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { HttpTask } from '../shared/http-load.ts';
import { paymentBody } from './payment.ts';
import { startRunProcess } from '../shared/run-process.ts';

/** Returns a sentence with the rate and the share of a core that the generator used. */
export async function measureGenerator(connections: number, seconds: number): Promise<string> {
  const server = fork(new URL('./trivial-server.js', import.meta.url));
  const [port] = (await once(server, 'message')) as [number];
  const generator = startRunProcess<HttpTask>(new URL('../shared/http-load.js', import.meta.url));
  const body = JSON.stringify(paymentBody);
  const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${'x'.repeat(400)}` };
  const task = { port, path: '/', headers, body, connections, expectStatus: 201, expectBody: '{"success":true' };
  try {
    await generator.run(task, 1);
    const { count, seconds: took, ownCpu } = await generator.run(task, seconds);
    return `${Math.round(count / took)} answers a second, the generator using ${(ownCpu ?? 0).toFixed(2)} of a core`;
  } finally {
    await generator.close();
    server.disconnect();
  }
}
