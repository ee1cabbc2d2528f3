// A customer's connection that fails in various ways, and the payment page's reaction.

import { expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { until } from '../../support/until.ts';
import type { SocketCutter } from '../socket-cutter.fixture.ts';
import { runningMs } from '../../support/running-time.ts';

/** The set-up that the tests of the payment page share. */
export interface Scene {
  readonly cutter: SocketCutter;
  newPayment(): Promise<string>;
  deposit(id: string, body?: object): Promise<void>;
  /** Opens the payment's page, through the cutter. */
  visit(id: string): Promise<Page>;
  heading(page: Page, text: string): Promise<void>;
  /** Failures in the page, until the test ends, that the test itself causes. */
  forgive(faults: RegExp): void;
}

/** The page once a web socket sends it the payment. */
async function visitLive({ newPayment, visit, cutter }: Scene): Promise<{ id: string; page: Page }> {
  const id = await newPayment();
  const page = await visit(id);
  await until(() => cutter.live() === 1, 40_000);
  return { id, page };
}

/** Less than a page needs to notice by itself, more than a slow machine needs for an instant reaction. */
const MOST_MS = 12_000;

/** Prints how long the page took, and checks it without the time for which the machine is to blame. */
async function timed(what: string, work: () => Promise<void>): Promise<void> {
  const ms = await runningMs(work());
  console.log(`${what}: right after ${ms} ms`);
  expect(ms).toBeLessThan(MOST_MS);
}

/** Keeps the page from asking, so that it learns everything from a web socket. */
const forbidAsking = (page: Page) => page.route('**/graphql', (route) => route.abort());

/**
 * What the browser reports of a web socket that we cut, and of requests that we blocked; the page may ask once more at
 * the very end.
 */
const OUR_DOING = /WebSocket connection to|net::ERR_FAILED/;

export async function loseSocket(scene: Scene): Promise<void> {
  const { cutter, deposit, heading } = scene;
  const { id, page } = await visitLive(scene);
  scene.forgive(OUR_DOING);
  cutter.drop('refuse');
  await deposit(id, { amount: '10' });
  await timed('without a web socket', () => heading(page, 'Part of the amount has arrived'));
  expect(cutter.live()).toBe(0);
  // The gateway was reachable all along, so the page reports no lost connection.
  expect(await page.locator('#offline').isVisible()).toBe(false);
  cutter.allow();
  await until(() => cutter.live() === 1, 40_000);
  await forbidAsking(page);
  await deposit(id, { amount: '15' });
  await timed('by the new web socket', () => heading(page, 'Payment complete'));
}

export async function dropSocket(scene: Scene): Promise<void> {
  const { cutter, deposit, heading } = scene;
  const { id, page } = await visitLive(scene);
  scene.forgive(OUR_DOING);
  await forbidAsking(page);
  await deposit(id, { amount: '10' });
  await heading(page, 'Part of the amount has arrived');
  cutter.drop();
  await deposit(id, { amount: '15' });
  await timed('after a web socket that was dropped', () => heading(page, 'Payment complete'));
}

/** Another tab is shown, and the connection dies in the background without an event. */
export async function lookAway(scene: Scene): Promise<void> {
  const { cutter, deposit, heading } = scene;
  const { id, page } = await visitLive(scene);
  await show(page, 'hidden');
  cutter.hang();
  await deposit(id);
  expect(await page.locator('#status .heading').innerText()).toBe('Waiting for your payment');
  await show(page, 'visible');
  await timed('looked at again', () => heading(page, 'Payment complete'));
}

/** A headless browser always shows every page, so the event is sent to the page by script. */
const show = (page: Page, state: 'visible' | 'hidden') =>
  page.evaluate(`(() => {
    Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => '${state}' });
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => ${state === 'hidden'} });
    document.dispatchEvent(new Event('visibilitychange'));
  })()`);

/** A sleeping machine: the page gets no event, but its clock has jumped when it resumes. */
export async function sleep(scene: Scene): Promise<void> {
  const { cutter, newPayment, deposit, heading, visit } = scene;
  const id = await newPayment();
  const page = await visit(id);
  await takeClock(page);
  await until(() => cutter.live() === 1, 40_000);
  await stopClock(page);
  cutter.hang();
  await deposit(id);
  expect(await page.locator('#status .heading').innerText()).toBe('Waiting for your payment');
  await page.clock.fastForward('10:00');
  await page.clock.resume();
  await timed('awake', () => heading(page, 'Payment complete'));
}

/** Reloads the page with a clock that the test can stop. */
export async function takeClock(page: Page): Promise<void> {
  await page.clock.install();
  await page.reload();
  await page.locator('html.js').waitFor();
}

/**
 * Stops everything that the page does by itself. Its clock stops at a future time, which may be past when the page
 * learns of it.
 */
export const stopClock = (page: Page): Promise<boolean> =>
  until(() =>
    page.clock.pauseAt(new Date(Date.now() + 1_000)).then(
      () => true,
      () => false,
    ),
  );
