// Linters of both documents. Rules that are off say why: redocly.yaml, spectral.yaml and below.

import { describe, it } from '@jest/globals';
import { join } from 'node:path';
import { ROOT } from '../support/sources.ts';
import { runClient } from './run-client.fixture.ts';

const OPENAPI = join(ROOT, 'schema/openapi.json');
const SCHEMA = join(ROOT, 'schema/schema.graphql');

/** The roots Query, Mutation and Subscription explain themselves: GraphQL fixes what they are. */
const OF_SCHEMA = [
  ...['defined-types-are-used', 'deprecations-have-a-reason', 'enum-values-all-caps', 'fields-are-camel-cased'],
  ...['arguments-have-descriptions', 'fields-have-descriptions', 'enum-values-have-descriptions'],
  ...['input-object-fields-sorted-alphabetically', 'input-object-values-are-camel-cased', 'types-are-capitalized'],
  ...['input-object-values-have-descriptions', 'relay-page-info-spec', 'relay-connection-types-spec'],
];

describe('linters', () => {
  it('redocly has nothing against openapi.json', async () => {
    await runClient('node_modules/@redocly/cli/bin/cli.js', ['lint', OPENAPI, '--config', 'redocly.yaml']);
  });

  it('spectral has nothing against openapi.json', async () => {
    const parameters = ['lint', OPENAPI, '-r', 'spectral.yaml', '--fail-severity', 'warn'];
    await runClient('node_modules/@stoplight/spectral-cli/dist/index.js', parameters);
  });

  it('graphql-schema-linter has nothing against schema.graphql', async () => {
    await runClient('node_modules/graphql-schema-linter/lib/cli.js', [SCHEMA, '--rules', OF_SCHEMA.join()]);
  });

  it('graphql-inspector finds every operation of the console valid, and none that uses what is deprecated', async () => {
    const documents = join(ROOT, 'web/{console,operator}/operations/*.graphql');
    await runClient('node_modules/@graphql-inspector/cli/cjs/index.js', [
      'validate',
      documents,
      SCHEMA,
      '--deprecated',
    ]);
  });
});
