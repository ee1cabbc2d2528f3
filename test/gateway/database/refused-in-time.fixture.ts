// Calls that are refused while PostgreSQL holds commits back, and how long they took.

import { expect } from '@jest/globals';
import { send, type Answer } from '../../support/clients.ts';
import { expectRefusal } from '../../support/expectations.ts';
import type { TestGateway } from '../../support/gateway/gateway.ts';
import { runningMsOf } from '../../support/running-time.ts';

/** As for a database that does not answer at all. */
const WITHIN_MS = 15_000;

/** Expects each of these calls, made at once, to be answered 503 with 9503 in time, and to say when to come back. */
export async function expectRefusedInTime(gateway: TestGateway, calls: readonly Promise<Answer>[]): Promise<void> {
  const ask = () => send({ method: 'GET', url: `${gateway.url}/healthz` });
  const timed = async (call: Promise<Answer>) => ({ ms: await runningMsOf(ask, call), answer: await call });
  for (const { answer, ms } of await Promise.all(calls.map(timed))) {
    expect(ms).toBeLessThan(WITHIN_MS);
    expectRefusal(answer, 503, '9503');
    expect(answer.headers['retry-after']).toBe('1');
  }
}
