// Which documents the server delivers: all in the sandbox, in live those that the operator switches on.

import { describe, expect, it } from '@jest/globals';
import { ConfigError, readConfig } from '../../src/config/config.ts';
import { fencesOf, OWN_SECRETS } from './guide-examples.fixture.ts';

/** The variables of the guide's live deployment, with secrets in place of its placeholders. */
const SHOWN = Object.fromEntries(
  (fencesOf('going-live.md').find(({ marks }) => marks.includes('live'))?.text ?? '')
    .trim()
    .split('\n')
    .map((line) => line.split(/=(.*)/s).slice(0, 2)),
) as Record<string, string>;
const { TURNPIKE_SECRET, ETH_XPUB } = OWN_SECRETS;
const LIVE = { ...SHOWN, TURNPIKE_SECRET, ETH_XPUB };

describe('explorers and introspection', () => {
  it.each([
    ['the sandbox', {}, true, true],
    ['the sandbox, switched off', { API_DOCS: 'false', GRAPHQL_INTROSPECTION: 'false' }, false, false],
    ['live', LIVE, false, false],
    ['live with API_DOCS', { ...LIVE, API_DOCS: 'true' }, true, true],
    ['live with introspection alone', { ...LIVE, GRAPHQL_INTROSPECTION: 'true' }, false, true],
  ])('in %s', (_, variables, apiDocs, graphqlIntrospection) => {
    expect(readConfig(variables)).toMatchObject({ apiDocs, graphqlIntrospection });
  });
});

describe('WEBHOOK_SOURCE_IPS', () => {
  it('takes addresses and ranges of both kinds', () => {
    const { webhookSourceIps } = readConfig({ WEBHOOK_SOURCE_IPS: '198.51.100.7, 198.51.100.0/24,2001:db8::/32' });
    expect(webhookSourceIps).toEqual(['198.51.100.7', '198.51.100.0/24', '2001:db8::/32']);
  });

  it.each(['hooks.example.com', '198.51.100', '198.51.100.0/33', '2001:db8::/129', '198.51.100.7/', '<b>'])(
    'refuses %s by its name',
    (address) => {
      expect(() => readConfig({ WEBHOOK_SOURCE_IPS: address })).toThrow(ConfigError);
      expect(() => readConfig({ WEBHOOK_SOURCE_IPS: address })).toThrow(/WEBHOOK_SOURCE_IPS/);
    },
  );
});
