// The same table of calls and faults, run by the SDK of each language against a sandbox behind a proxy that fails.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../support/sources.ts';
import { isInstalled } from '../../examples/receiver-programs.fixture.ts';
import { borrowGateway, type BorrowedGateway } from '../../support/gateway/borrowed-gateway.ts';
import { startFaultyGateway, type FaultyGateway, type Seen } from './faulty-gateway.fixture.ts';
import { LANGUAGES, type Line } from './languages.fixture.ts';

interface Row {
  readonly step: string;
  readonly faults?: readonly string[];
  readonly outcome: Readonly<Record<string, unknown>>;
  readonly requests: number;
  /** Whether each request has the same Idempotency-Key, and not none. */
  readonly keyed?: true;
  readonly atLeastMs?: number;
}

const read = (name: string) => JSON.parse(readFileSync(join(ROOT, `sdk/conformance/${name}.json`), 'utf8')) as unknown;
const rows = read('calls') as readonly Row[];
const webhooks = read('webhooks') as readonly { readonly name: string; readonly outcome: string }[];

let gateway: BorrowedGateway;

beforeAll(async () => {
  gateway = await borrowGateway();
});
afterAll(() => gateway.stop());

const INSTALLED = LANGUAGES.filter(({ needs }) => isInstalled(needs));
const REQUIRED = process.env['CI'] === 'true' ? LANGUAGES : LANGUAGES.slice(0, 2);

it(`the languages that are to be tested here are installed: ${REQUIRED.map(({ name }) => name).join(', ')}`, () => {
  expect(INSTALLED).toEqual(expect.arrayContaining([...REQUIRED]));
});

describe.each(INSTALLED)('$name', (language) => {
  let proxy: FaultyGateway;
  let lines: ReadonlyMap<string, Line>;
  const seenOf = (step: string): Seen[] => proxy.seen.filter((one) => one.step === step);

  beforeAll(async () => {
    proxy = await startFaultyGateway(
      gateway.url,
      Object.fromEntries(rows.map(({ step, faults = [] }) => [step, faults])),
    );
    const email = `conformance-${language.name.toLowerCase()}-${Date.now()}@kettle.example`;
    const printed = await language.run({ BASE_URL: proxy.url, EMAIL: email });
    lines = new Map(printed.map((line) => [line.step, line]));
  });
  afterAll(() => proxy.stop());

  it.each(rows)('$step', ({ step, outcome, requests, keyed, atLeastMs }) => {
    const orderId = JSON.stringify(lines.get('get')?.['data']).match(/ord_\w+/)?.[0] ?? '';
    expect(lines.get(step)).toMatchObject(
      JSON.parse(JSON.stringify(outcome).replaceAll('${orderId}', orderId)) as Record<string, unknown>,
    );
    const seen = seenOf(step);
    expect(seen).toHaveLength(requests);
    if (keyed) {
      expect(seen[0]?.key).toMatch(/^[\x20-\x7e]{16,}$/);
      expect(new Set(seen.map(({ key }) => key)).size).toBe(1);
    }
    if (atLeastMs !== undefined)
      expect((seen.at(-1)?.atMs ?? 0) - (seen[0]?.atMs ?? 0)).toBeGreaterThanOrEqual(atLeastMs);
  });

  it('exchanges a token once for all calls, and once more for a call that was refused', () => {
    const exchanges = proxy.seen.filter(({ path }) => path === '/api/v1/auth/token');
    expect(exchanges).toHaveLength(3);
  });

  it.each(webhooks)('a webhook: $name', ({ name, outcome }) => {
    expect(lines.get(name)).toEqual({ step: name, outcome });
  });
});
