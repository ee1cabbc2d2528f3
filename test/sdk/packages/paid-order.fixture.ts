// What the README of an SDK promises a newcomer: a paid order, and a webhook that is verified.

import { expect } from '@jest/globals';
import { spawn } from 'node:child_process';
import { newMerchant } from '../../support/clients.ts';
import { dataOf } from '../../support/expectations.ts';
import type { BorrowedGateway } from '../../support/gateway/borrowed-gateway.ts';
import { findFreePort } from '../../support/gateway/gateway.ts';
import { until } from '../../support/until.ts';
import { cleanEnvironment, programsOf, run, type Newcomer } from './newcomer.fixture.ts';

/** Runs the first program of the README in the folder where the SDK is installed: it has an order paid. */
export async function expectPaidOrder(newcomer: Newcomer, folder: string, gateway: BorrowedGateway): Promise<void> {
  const [first = ''] = programsOf(newcomer);
  const code = first.replaceAll('http://localhost:3000', gateway.url);
  const printed = await run(await newcomer.program(folder, 'first', code, ''), folder);
  expect(printed).toMatch(/^Send your customer to http\S+\/pay\/ord_\w+\nSUCCEEDED\n$/);
}

/** Runs its receiver, which refuses what is not signed and acts on the webhook of a paid order. */
export async function expectVerifiedWebhook(
  newcomer: Newcomer,
  folder: string,
  gateway: BorrowedGateway,
): Promise<void> {
  const [, receiver = ''] = programsOf(newcomer);
  const { rest: call } = await newMerchant(gateway);
  const address = `127.0.0.1:${await findFreePort()}`;
  const { secret } = dataOf(await call('PUT', '/merchant/webhook', { url: `http://${address}/` }));
  const code = receiver
    .replace(/(?<=listen\()8081|8081(?=\), Receiver)/, address.slice(10))
    .replace('127.0.0.1:8081', address);
  const [file, ...args] = await newcomer.program(folder, 'receiver', code, address);
  const env = { ...cleanEnvironment(folder), WEBHOOK_SECRET: String(secret) };
  const child = spawn(file, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  try {
    const answers = () =>
      fetch(`http://${address}/`, { method: 'POST', body: '{}' }).then(
        ({ status }) => status,
        () => null,
      );
    expect(await until(answers)).toBe(400);
    const order = { amount: '25', currency: 'USDT', network: 'ETH' };
    const { orderId } = dataOf(await call('POST', '/payments', order), 201);
    await call('POST', `/sandbox/payments/${String(orderId)}/deposit`);
    await until(() => printed.includes(`paid: ${String(orderId)}`));
  } finally {
    child.kill();
  }
}
