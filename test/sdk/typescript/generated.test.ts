// The SDK has a type for each operation and schema of the gateway's documents, and a method for each operation.

import { describe, expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { operationsOf, readDocument } from '../../../scripts/sdk/document.ts';
import { ROOT } from '../../support/sources.ts';

const PACKAGE = join(ROOT, 'sdk/typescript');
const read = (path: string) => readFileSync(join(PACKAGE, path), 'utf8');
const document = readDocument(ROOT);
const file = ts.createSourceFile('api.ts', read('src/generated/api.ts'), ts.ScriptTarget.ESNext);

/** The members of an interface, or of one of its members, as names with their types' text, without comments. */
function membersOf(...path: readonly string[]): Map<string, ts.TypeElement> {
  const [name, ...rest] = path;
  const found = file.statements.find((one) => ts.isInterfaceDeclaration(one) && one.name.text === name);
  let members = (found as ts.InterfaceDeclaration).members;
  for (const step of rest) members = literalOf(members.find((one) => nameOf(one) === step));
  return new Map(members.map((one) => [nameOf(one), one]));
}

const nameOf = (member: ts.TypeElement): string => member.name?.getText(file).replace(/^['"]|['"]$/g, '') ?? '';

function literalOf(member: ts.TypeElement | undefined): ts.NodeArray<ts.TypeElement> {
  const type = member && ts.isPropertySignature(member) ? member.type : undefined;
  return type && ts.isTypeLiteralNode(type) ? type.members : ts.factory.createNodeArray();
}

describe('the generated files', () => {
  it('have a type for each operation, with its filters', () => {
    const operations = operationsOf(document);
    expect([...membersOf('operations').keys()].sort()).toEqual(operations.map(({ name }) => name).sort());
    for (const { name, query, pathParameters } of operations) {
      const names = [...membersOf('operations', name, 'parameters', 'query').keys()];
      expect([name, names]).toEqual([name, query.map((one) => one.name)]);
      const ids = [...membersOf('operations', name, 'parameters', 'path').keys()];
      expect([name, ids]).toEqual([name, pathParameters]);
    }
  });

  it('have a type for each schema, with its fields, and which of them may be left out', () => {
    const { schemas } = document.components;
    expect([...membersOf('components', 'schemas').keys()].sort()).toEqual(Object.keys(schemas).sort());
    for (const [name, { properties = {}, required = [] }] of Object.entries(schemas)) {
      const members = membersOf('components', 'schemas', name);
      expect([name, [...members.keys()]]).toEqual([name, Object.keys(properties)]);
      const optional = [...members].filter(([, one]) => one.questionToken).map(([field]) => field);
      expect([name, optional]).toEqual([name, Object.keys(properties).filter((one) => !required.includes(one))]);
    }
  });

  it('are called: each operation has a method', () => {
    const sources = readdirSync(join(PACKAGE, 'src/resources')).map((name) => read(`src/resources/${name}`));
    const text = [...sources, read('src/client.ts')].join('\n');
    const named = [...text.matchAll(/(?:call|text|listing)\('(\w+)'/g)].map(([, name]) => name);
    expect(operationsOf(document).flatMap(({ name }) => (named.includes(name) ? [] : [name]))).toEqual([]);
  });
});

describe('the package', () => {
  const manifest = JSON.parse(read('package.json')) as Record<string, unknown>;

  it('has the version of the gateway, no dependencies, and the license', () => {
    const root = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Record<string, unknown>;
    expect([manifest['version'], manifest['license']]).toEqual([root['version'], root['license']]);
    expect(Object.keys(manifest).filter((name) => /dependencies/i.test(name))).toEqual([]);
    expect(read('LICENSE')).toBe(readFileSync(join(ROOT, 'LICENSE'), 'utf8'));
  });

  it('is called in the documents as its package.json says', () => {
    const documents = ['sdk/typescript/README.md', 'examples/webhooks/README.md', 'docs/architecture.md'];
    for (const path of documents) {
      const names = readFileSync(join(ROOT, path), 'utf8').match(/@turnpike\/[\w-]+|@[\w-]+\/sdk\b/g) ?? [];
      expect([path, new Set(names)]).toEqual([path, new Set([manifest['name']])]);
    }
  });
});
