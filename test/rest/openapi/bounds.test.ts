// What the OpenAPI document says about inputs against what the API does with them: each value at a bound is accepted,
// and each value past one is refused, for every input of every operation.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../support/sources.ts';
import { operationsOf, type DocumentedOperation, type Json } from '../../docs/openapi-document.fixture.ts';
import { newMerchant, type TestMerchant } from '../../support/clients.ts';
import { borrowGateway, type BorrowedGateway } from '../../support/gateway/borrowed-gateway.ts';
import { boundedInputsOf, edgesOf, type BoundedInput } from './bounds.fixture.ts';

const document = JSON.parse(readFileSync(join(ROOT, 'schema/openapi.json'), 'utf8'));
const operations = operationsOf(document);

let gateway: BorrowedGateway;
let shop: TestMerchant;

beforeAll(async () => {
  gateway = await borrowGateway();
  shop = await newMerchant(gateway);
});
afterAll(() => gateway.stop());

/** A field and a parameter that are not known: with them a call does nothing but say all that is wrong with it. */
const NONSENSE = 'nonsense';

/** The paths of the faults that a call with one value has. */
async function faultsWith(operation: DocumentedOperation, input: BoundedInput, value: Json): Promise<string[]> {
  const path = operation.path.replace(/^\/api\/v1/, '').replaceAll(/\{\w+\}/g, 'none');
  const query = new URLSearchParams(input.where === 'query' ? [[input.path, String(value)]] : []);
  if (operation.body === null) query.set(NONSENSE, '1');
  const body = input.where === 'body' ? { [NONSENSE]: 1, ...input.bodyWith(value) } : undefined;
  const answer = await shop.rest(operation.method, `${path}?${String(query)}`, body);
  expect([answer.status, answer.body.error.code]).toEqual([400, '2001']);
  const paths = (answer.body.error.details as { path: string }[]).map((fault) => fault.path);
  expect(paths).toContain(NONSENSE);
  return paths;
}

const cases = operations.flatMap((operation) =>
  boundedInputsOf(document, operation).map(
    (input) => [`${operation.method} ${operation.path}: ${input.path}`, operation, input] as const,
  ),
);

/** A text whose values are those of a table, which is longer than a document should be: only its bounds are tried. */
const OF_TABLES = ['POST /api/v1/invoices: currency', 'POST /api/v1/payment-links: currency'];

describe('inputs', () => {
  it('most have bounds', () => {
    expect(cases.length).toBeGreaterThan(120);
  });

  it.each(cases)('%s', async (name, operation, input) => {
    const { inside, outside } = edgesOf(input.schema);
    expect(inside.length + outside.length).toBeGreaterThan(0);
    for (const value of OF_TABLES.includes(name) ? [] : inside) {
      const paths = await faultsWith(operation, input, value);
      expect([value, paths.filter((path) => path === input.path)]).toEqual([value, []]);
    }
    for (const value of outside) {
      const paths = await faultsWith(operation, input, value);
      expect([value, paths.some((path) => path === input.path || path.startsWith(`${input.path}.`))]).toEqual([
        value,
        true,
      ]);
    }
  });
});
