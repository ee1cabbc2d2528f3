// A process that is killed with -9 in any step of a payout outside the signer (contract-people-payouts, section D):
// before its commit nothing of it has happened, and it is done when it is asked again; after it, all of it has, once.
// What a shop stands at in the end is what it stands at where nobody was killed.

import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { verifyLedger } from '../../../../src/domain/ledger/verify.ts';
import type { Answer } from '../../../support/clients.ts';
import { newOperator } from '../../../support/operators.ts';
import type { SignedIn } from '../../../support/people.ts';
import { startPostgresProxy, type PostgresProxy } from '../../../support/proxies/postgres-proxy.ts';
import { until } from '../../../support/until.ts';
import { openApiProcesses, type ApiProcess, type ApiProcesses } from '../api-processes.fixture.ts';
import { openShop, standingOf, STEPS, type Shop, type Standing, type Step } from './payouts.fixture.ts';

let setup: ApiProcesses;
let proxy: PostgresProxy;
/** The process that is killed. It alone observes the chain and the clock. */
let doomed: ApiProcess;
let isDead = false;
let operator: SignedIn;

beforeAll(async () => {
  setup = await openApiProcesses({ ROLES: 'api,dispatcher,signer' });
  proxy = await startPostgresProxy(setup.databaseUrl);
  doomed = await setup.launch({ ROLES: 'api,observer', DATABASE_URL: proxy.url });
  operator = await newOperator(setup.gateway);
});
afterEach(() => revive());
afterAll(async () => {
  await setup.stop();
  await proxy.stop();
});

/** Starts the process again, so that a test that failed leaves the others alone. */
async function revive(): Promise<void> {
  if (isDead) await doomed.restart();
  isDead = false;
}

/** A step in which its process dies: as its commit goes to the database, or once it has taken effect there. */
async function dieIn(step: Step, shop: Shop, when: 'before' | 'after'): Promise<string> {
  const prepared = await step.prepare(setup.gateway, shop);
  const caught = proxy.catchCommitOf(step.within, when);
  await step.makeDue?.(setup.gateway, shop, prepared);
  const answer = step.ask?.(doomed, shop, prepared).catch(() => 'cut off');
  const cut = await caught;
  isDead = true;
  await doomed.program().kill();
  if (answer) expect(await answer).toBe('cut off');
  cut();
  return prepared;
}

const standing = (shop: Shop): Promise<Standing> => standingOf(setup.gateway, shop);

/** Where a shop stands once a step is done by a process that lives. */
async function standingAfter(step: Step): Promise<{ readonly before: Standing; readonly after: Standing }> {
  const shop = await openShop(setup.gateway, operator);
  const prepared = await step.prepare(setup.gateway, shop);
  const before = await standing(shop);
  await step.makeDue?.(setup.gateway, shop, prepared);
  if (step.ask) expectDone(await step.ask(setup.gateway, shop, prepared));
  return { before, after: await untilDone(shop, before) };
}

/** What observers find by themselves takes a moment. */
async function untilDone(shop: Shop, before: Standing): Promise<Standing> {
  return until(async () => {
    const now = await standing(shop);
    return JSON.stringify(now) !== JSON.stringify(before) && now;
  });
}

function expectDone({ status, body }: Answer): void {
  expect([status, body.errors, body.error]).toEqual([expect.any(Number), undefined, undefined]);
}

/** What was done is asked for again, of a process that lives. */
async function expectRepeated(step: Step, shop: Shop, prepared: string): Promise<void> {
  if (!step.ask) return;
  const answer = await step.ask(setup.gateway, shop, prepared);
  if (step.repeated === null) {
    expectDone(answer);
    expect(answer.headers['idempotent-replayed']).toBe('true');
  } else expect(answer.body.errors[0].extensions.errorCode).toBe(step.repeated);
}

describe.each(STEPS)('a process that is killed with -9 in $name', (step) => {
  it('before its commit: nothing has happened, and it is done once', async () => {
    const { before, after } = await standingAfter(step);
    const shop = await openShop(setup.gateway, operator);
    const prepared = await dieIn(step, shop, 'before');
    expect(await standing(shop)).toEqual(before);
    await revive();
    if (step.ask) expectDone(await step.ask(doomed, shop, prepared));
    expect(await untilDone(shop, before)).toEqual(after);
    await expectRepeated(step, shop, prepared);
    expect(await standing(shop)).toEqual(after);
  });

  it('after its commit: all of it has happened, once', async () => {
    const { after } = await standingAfter(step);
    const shop = await openShop(setup.gateway, operator);
    const prepared = await dieIn(step, shop, 'after');
    expect(await standing(shop)).toEqual(after);
    await revive();
    await expectRepeated(step, shop, prepared);
    expect(await standing(shop)).toEqual(after);
  });
});

it('in the end what was allowed is paid, each once, and the book is whole', async () => {
  const ended = await until(async () => {
    const rows = await setup.gateway.sql<{ status: string; count: number }>(
      `select status, count(*)::int as count from payout group by 1`,
    );
    return !rows.some(({ status }) => ['REQUESTED', 'BROADCAST'].includes(status)) && rows;
  });
  expect(ended.find(({ status }) => status === 'COMPLETED')?.count).toBeGreaterThan(STEPS.length);
  const twice = await setup.gateway.sql(
    `select payout_id from transfer where status = 'CONFIRMED' and payout_id is not null group by 1 having count(*) > 1`,
  );
  expect(twice).toEqual([]);
  expect((await verifyLedger(setup.gateway.deps.db)).faults).toEqual([]);
});
