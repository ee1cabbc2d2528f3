// The selection of every REST row can be compiled: a field left to graphql-js would make each call three times as slow.

import { expect, it } from '@jest/globals';
import { getNamedType, isCompositeType, Kind, parse, type OperationDefinitionNode } from 'graphql';
import { buildGatewaySchema } from '../../src/resolvers/schema.ts';
import type { Services } from '../../src/resolvers/services.ts';
import { compileCompletion } from '../../src/graphql/compile-selection.ts';
import { ROUTES } from '../../src/rest/routes/routes.ts';

const schema = buildGatewaySchema({} as Services, 'sandbox');
const documents = ROUTES.flatMap(({ method, path, document, inParts }) => {
  const texts = [document, ...(inParts ? [inParts.span, inParts.head] : [])];
  return texts.map((text, index) => [`${method} ${path}${index > 0 ? ` (part ${index})` : ''}`, text] as const);
});

it.each(documents)('%s', (_name, text) => {
  const { operation, selectionSet } = parse(text).definitions[0] as OperationDefinitionNode;
  for (const node of selectionSet.selections) {
    if (node.kind !== Kind.FIELD) throw new Error('A row may select only plain fields');
    const type = schema.getRootType(operation)?.getFields()[node.name.value]?.type;
    if (!type) throw new Error(`The schema has no ${node.name.value}`);
    if (!isCompositeType(getNamedType(type))) continue;
    expect(compileCompletion(type, [node], { fragments: new Map(), fieldsLeft: 10_000 })).not.toBeNull();
  }
});
