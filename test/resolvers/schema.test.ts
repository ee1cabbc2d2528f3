// The schema: printed to schema/schema.graphql, described everywhere, and valid for the documents of the REST table.

import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  buildSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isSpecifiedScalarType,
  parse,
  validate,
  type GraphQLSchema,
} from 'graphql';
import { printGatewaySchema } from '../../scripts/print-schema.ts';
import { buildGatewaySchema } from '../../src/resolvers/schema.ts';
import type { Services } from '../../src/resolvers/services.ts';
import { ROUTES } from '../../src/rest/routes/routes.ts';
import { ROOT } from '../support/sources.ts';

const sandbox = buildGatewaySchema({} as Services, 'sandbox');
const live = buildGatewaySchema({} as Services, 'live');

/** The names of everything in a schema that has no description. */
function undescribed(schema: GraphQLSchema): string[] {
  const silent: string[] = [];
  const look = (name: string, { description }: { description?: string | null | undefined }) => {
    if (!description?.trim()) silent.push(name);
  };
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
  for (const type of Object.values(schema.getTypeMap())) {
    if (type.name.startsWith('__') || isSpecifiedScalarType(type)) continue;
    if (!roots.some((root) => root === type)) look(type.name, type);
    if (isEnumType(type)) for (const value of type.getValues()) look(`${type.name}.${value.name}`, value);
    if (!isObjectType(type) && !isInterfaceType(type) && !isInputObjectType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      look(`${type.name}.${field.name}`, field);
      if ('args' in field) for (const arg of field.args) look(`${type.name}.${field.name}(${arg.name})`, arg);
    }
  }
  return silent;
}

describe('the schema', () => {
  it('is what schema/schema.graphql says; `npm run schema` writes it anew', () => {
    expect(readFileSync(join(ROOT, 'schema/schema.graphql'), 'utf8')).toBe(printGatewaySchema());
  });

  it('every type, field, argument and enum value is described', () => {
    expect(undescribed(sandbox)).toEqual([]);
  });

  it('no two values of an enum differ by case alone: generated clients have names of one case', () => {
    for (const type of Object.values(sandbox.getTypeMap()).filter(isEnumType)) {
      const names = type.getValues().map(({ name }) => name.toUpperCase());
      expect([type.name, names.length]).toEqual([type.name, new Set(names).size]);
    }
  });

  it('an undescribed one would be found', () => {
    const schema = buildSchema('type Query { a(b: Int): C } enum C { D } input E { f: Int }');
    expect(undescribed(schema).sort()).toEqual(['C', 'C.D', 'E', 'E.f', 'Query.a', 'Query.a(b)']);
  });

  it('has no simulation and no test merchants in live', () => {
    const names = Object.keys(live.getMutationType()?.getFields() ?? {});
    expect(names).toContain('createPayment');
    const own = ['createMerchant', 'simulateDeposit', 'expirePayment', 'mineBlocks', 'simulateReorg'];
    expect(names.filter((name) => own.includes(name))).toEqual([]);
    expect(Object.keys(sandbox.getMutationType()?.getFields() ?? {})).toEqual(expect.arrayContaining(own));
  });
});

describe('the REST table', () => {
  it.each(ROUTES.map((route) => [`${route.method} ${route.path}`, route] as const))(
    '%s is one valid document with one operation, in live too unless it is of the sandbox',
    (_, route) => {
      const document = parse(route.document);
      expect(document.definitions).toHaveLength(1);
      expect(validate(sandbox, document)).toEqual([]);
      if (!route.sandboxOnly) expect(validate(live, document)).toEqual([]);
    },
  );

  it('has each method and path once', () => {
    const keys = ROUTES.map((route) => `${route.method} ${route.path.replace(/:\w+/g, ':')}`);
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('reads by GET and writes by the other methods', () => {
    for (const { method, path, document } of ROUTES) {
      expect([path, /^\s*(query|mutation)/.exec(document)?.[1]]).toEqual([
        path,
        method === 'GET' ? 'query' : 'mutation',
      ]);
    }
  });
});
