// The OpenAPI document: up to date, valid, and with a description of everything.

import { describe, expect, it } from '@jest/globals';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { printOpenApi } from '../../../scripts/print-schema.ts';
import { buildGatewaySchema } from '../../../src/resolvers/schema.ts';
import type { Services } from '../../../src/resolvers/services.ts';
import { buildOpenApi } from '../../../src/rest/openapi/document.ts';
import { ROUTES } from '../../../src/rest/routes/routes.ts';
import { signatureHeaders } from '../../../src/domain/webhooks/signature.ts';
import { PUBLIC_EVENT_TYPES } from '../../../src/values/internet/webhook-events.ts';
import { ERRORS } from '../../../src/values/errors.ts';
import { ROOT } from '../../support/sources.ts';
import { createChecker, operationsOf, type Json } from '../../docs/openapi-document.fixture.ts';

const text = readFileSync(join(ROOT, 'schema/openapi.json'), 'utf8');
const document = JSON.parse(text);
const operations = operationsOf(document);

/** The paths of every parameter, property and schema below a value that has no description. */
function undescribed(value: Json, path: string): string[] {
  if (value === null || typeof value !== 'object') return [];
  const silent: string[] = [];
  for (const [name, inner] of Object.entries(value as Record<string, Json>)) {
    const at = `${path}/${name}`;
    if (/\/(properties|parameters|headers)$/.test(path) && !inner.$ref && !inner.description?.trim()) silent.push(at);
    silent.push(...undescribed(inner, at));
  }
  return silent;
}

describe('schema/openapi.json', () => {
  it('is what the table and the schema say; `npm run schema` writes it anew', () => {
    expect(text).toBe(printOpenApi());
  });

  it('is valid OpenAPI 3.1', async () => {
    const { valid, errors } = await new Validator().validate(document);
    expect(errors ?? []).toEqual([]);
    expect(valid).toBe(true);
  });

  it('has every row of the table, each under an id of its own', () => {
    const rows = ROUTES.map(({ method, path }) => `${method} /api/v1${path.replace(/:(\w+)/g, '{$1}')}`);
    expect(operations.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(rows.sort());
    expect(new Set(operations.map(({ id }) => id)).size).toBe(rows.length);
  });

  it('every operation, parameter, header and field is described', () => {
    const { schemas, parameters, headers } = document.components;
    for (const { node } of operations)
      expect([node.operationId, node.summary]).toEqual([node.operationId, expect.stringMatching(/\S/)]);
    for (const [name, schema] of Object.entries(schemas as Record<string, Json>))
      expect([name, schema.description]).toEqual([name, expect.stringMatching(/\S/)]);
    const silent = [
      ...undescribed(schemas, 'schemas'),
      ...undescribed(parameters, 'components/parameters'),
      ...undescribed(headers, 'components/headers'),
      ...operations.flatMap(({ id, node }) => [
        ...undescribed(node.parameters, `${id}/parameters`),
        ...undescribed(node.requestBody ?? null, id),
      ]),
    ];
    // The envelope has one description, for all.
    expect(silent.filter((path) => !/^schemas\/Failure\/properties\/(success|error)$/.test(path))).toEqual([]);
  });

  it('every body has an example', () => {
    const without = operations.filter(({ body, example }) => body !== null && example === undefined);
    expect(without.map(({ id }) => id)).toEqual([]);
  });

  it('every answer has examples, of success and of each error, as the document allows them', () => {
    const { faultsOf } = createChecker(document);
    const headers = { 'content-type': 'application/json' };
    for (const operation of operations) {
      const { id, node, status } = operation;
      const { example } = node.responses[status].content['application/json'];
      expect([id, faultsOf(operation, { status, headers, text: '', body: example })]).toEqual([id, []]);
      for (const [code, { $ref }] of Object.entries(node.responses as Record<string, Json>)) {
        if (Number(code) === status) continue;
        const { examples } = document.components.responses[$ref.split('/').at(-1)].content['application/json'];
        expect(Object.keys(examples as object)).not.toEqual([]);
        for (const { value } of Object.values(examples as Record<string, Json>)) {
          const answer = { status: Number(code), headers, text: '', body: value };
          expect([id, code, faultsOf(operation, answer)]).toEqual([id, code, []]);
        }
      }
    }
  });

  it('every example of a body is within its bounds', () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema(document as object, 'openapi.json');
    for (const { id, path, method, example } of operations.filter(({ body }) => body !== null)) {
      const at = `${path.replaceAll('~', '~0').replaceAll('/', '~1')}/${method.toLowerCase()}`;
      const place = encodeURI(`openapi.json#/paths/${at}/requestBody/content/application~1json/schema`);
      const validate = ajv.compile({ $ref: place });
      expect([id, validate(example), validate.errors]).toEqual([id, true, null]);
    }
  });

  it('has every webhook, with the headers that are sent', () => {
    expect(Object.keys(document.webhooks as object)).toEqual([...PUBLIC_EVENT_TYPES, 'webhook.test']);
    const secret = `whsec_${Buffer.alloc(32).toString('base64')}`;
    const sent = signatureHeaders({
      ...{ eventId: 'evt_1', deliveryId: 'dlv_1', attempt: 1, timestampSeconds: 1_795_257_600, body: '{}' },
      secrets: [secret, secret],
    });
    for (const { post } of Object.values(document.webhooks as Record<string, Json>)) {
      const named = (post.parameters as Json[]).map(
        ({ $ref }) => document.components.parameters[$ref.split('/').at(-1)],
      );
      expect(['Content-Type', ...named.map(({ name }) => name)]).toEqual(Object.keys(sent));
      for (const { name, schema } of named)
        expect(sent[name]).toMatch(new RegExp(schema.pattern ?? (schema.const ? `^${schema.const}$` : '.')));
    }
  });

  it('as of live has nothing of the sandbox', () => {
    const schema = buildGatewaySchema({} as Services, 'live');
    const routes = ROUTES.filter(({ sandboxOnly }) => !sandboxOnly);
    const live = buildOpenApi(schema, routes, { serverUrl: 'https://pay.example.com', environment: 'live' }) as Json;
    expect(operationsOf(live)).toHaveLength(routes.length);
    expect(routes.length).toBeLessThan(ROUTES.length);
    expect(JSON.stringify(live.paths)).not.toMatch(/sandbox/i);
    expect(JSON.stringify(live)).not.toMatch(/sandbox only|simulat|"[ps]k_test_|"environment":"sandbox"/i);
    for (const name of ['CreatePaymentInput', 'CreateInvoiceInput']) {
      expect(document.components.schemas[name].properties.test).toBeDefined();
      expect(live.components.schemas[name].properties.test).toBeUndefined();
    }
    expect(live.servers).toEqual([{ url: 'https://pay.example.com' }]);
  });

  it('names every error there is, those of no call excepted', () => {
    const named = new Set(
      Object.keys(document.components.responses as object).flatMap((name) => name.split('_').slice(1)),
    );
    const missing = Object.values(ERRORS).filter(({ code }) => !named.has(code));
    // Methods that a path does not take are not in the document, the operator's decisions are not calls, the console's
    // sessions alone are asked for a confirmation, and people are GraphQL's, but for who was invited (2011). Any
    // call may be answered 9421, but only where there are cells.
    expect(missing.map(({ code }) => code).sort()).toEqual([
      ...['1009', '1010', '1013', '1014', '2005', '2010', '2012', '2013', '4008', '4010', '9421'],
    ]);
  });
});
