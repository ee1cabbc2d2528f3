// Each SDK from outside the repository, as a newcomer has it: installed, its README run to a paid order and a verified
// webhook; and the TypeScript one as ESM, as CommonJS, and by its types.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../../support/sources.ts';
import { isInstalled } from '../../examples/receiver-programs.fixture.ts';
import { borrowGateway, type BorrowedGateway } from '../../support/gateway/borrowed-gateway.ts';
import { installPack, NEWCOMERS, run } from './newcomer.fixture.ts';
import { expectPaidOrder, expectVerifiedWebhook } from './paid-order.fixture.ts';

const INSTALLED = NEWCOMERS.filter(({ needs }) =>
  needs.startsWith('/') ? globSync(needs).length > 0 : isInstalled(needs),
);
const REQUIRED = process.env['CI'] === 'true' ? NEWCOMERS : NEWCOMERS.slice(0, 1);
const folders: string[] = [];
const newFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'turnpike-newcomer-'));
  folders.push(folder);
  return folder;
};

let gateway: BorrowedGateway;

beforeAll(async () => {
  gateway = await borrowGateway();
});
afterAll(async () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  await gateway.stop();
});

it(`the languages that are to be tested here are installed: ${REQUIRED.map(({ name }) => name).join(', ')}`, () => {
  expect(INSTALLED).toEqual(expect.arrayContaining([...REQUIRED]));
});

describe.each(INSTALLED)('the SDK for $name, from an empty folder', (newcomer) => {
  let folder: string;

  beforeAll(async () => {
    folder = newFolder();
    await newcomer.install(folder);
  });

  it('leads from nothing to a paid order', () => expectPaidOrder(newcomer, folder, gateway));
  it('receives a webhook and verifies it', () => expectVerifiedWebhook(newcomer, folder, gateway));
});

describe('the packed TypeScript SDK', () => {
  let folder: string;
  let files: string[];

  beforeAll(async () => {
    folder = newFolder();
    files = await installPack(folder);
  });

  it('has what is built, its README and license, and nothing else', () => {
    expect(files.filter((path) => !/^(dist\/(esm|cjs)\/|README\.md$|LICENSE$|package\.json$)/.test(path))).toEqual([]);
    expect(files).toEqual(expect.arrayContaining(['dist/esm/index.d.ts', 'dist/cjs/package.json', 'LICENSE']));
  });

  it('is loaded by require as well', async () => {
    const code = `const { Turnpike, VERSION } = require('@turnpike/sdk');
      const { verifyWebhook } = require('@turnpike/sdk/webhooks');
      console.log(typeof Turnpike, typeof verifyWebhook, VERSION);`;
    expect(await run([process.execPath, '-e', code], folder)).toMatch(/^function function \d+\.\d+\.\d+\n$/);
  });

  it.each(['mts', 'cts'])('has types for a strict .%s file, which find mistakes', async (ending) => {
    const lines = [
      `import { Turnpike, NotFoundError, type Schemas } from '@turnpike/sdk';`,
      `import { handleWebhook, SeenInMemory, type TurnpikeEvent } from '@turnpike/sdk/webhooks';`,
      `export async function use(turnpike: Turnpike): Promise<Schemas['PaymentStatus'][]> {`,
      `  const { orderId } = await turnpike.payments.create({ amount: '1', currency: 'USDT', network: 'ETH' });`,
      `  const all: Schemas['PaymentStatus'][] = [(await turnpike.payments.get(orderId)).status];`,
      `  for await (const { status } of turnpike.payments.list({ status: ['SUCCEEDED'] })) all.push(status);`,
      `  for await (const { sequence } of turnpike.live.events({ after: 0 })) console.log(sequence.toFixed());`,
      `  return all;`,
      `}`,
      `export const isMissing = (error: unknown): boolean => error instanceof NotFoundError && error.code === '2004';`,
      `export const act = ({ type, data }: TurnpikeEvent): string => type + ('payment' in data ? data.payment.orderId : '');`,
      `export const seen = [new SeenInMemory(), handleWebhook];`,
      `// @ts-expect-error: an amount is a text.`,
      `export const wrong = (turnpike: Turnpike) => turnpike.payments.create({ amount: 1, currency: 'USDT', network: 'ETH' });`,
      `// @ts-expect-error: there is no such status.`,
      `export const none = (turnpike: Turnpike) => turnpike.payments.list({ status: ['PAID'] });`,
    ];
    writeFileSync(join(folder, `use.${ending}`), lines.join('\n'));
    const tsc = join(ROOT, 'test/node_modules/typescript/bin/tsc');
    const options = ['--strict', '--noEmit', '--target', 'es2022', '--module', 'nodenext', '--lib', 'es2022,dom'];
    expect(await run([process.execPath, tsc, ...options, `use.${ending}`], folder)).toBe('');
  });
});
