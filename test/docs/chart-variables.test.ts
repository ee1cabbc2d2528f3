// Holds the Helm chart to the program: the variables that it takes, and its version.

import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { configVariables, SCHEMA_PATH, secretVariables, withVariables } from '../../scripts/generate/chart-schema.ts';
import { ROOT } from '../support/sources.ts';

describe("the chart's schema", () => {
  const schema = readFileSync(SCHEMA_PATH, 'utf8');

  it('takes the variables that the program reads; where it does not, run npm run chart:schema', () => {
    expect(JSON.parse(schema)).toEqual(JSON.parse(withVariables(schema)));
  });

  it('knows what each may contain, and has none that the chart sets or that is a secret', () => {
    const variables = configVariables();
    expect(Object.keys(variables).length).toBeGreaterThan(150);
    expect(variables).toMatchObject({
      REGISTRATION: { type: 'string', enum: ['open', 'invite', 'closed'] },
      DATABASE_POOLER: { type: 'string', enum: ['true', 'false'] },
      API_KEYS_MAX: { type: 'string', pattern: '^[0-9]+$', description: 'From 1 to 100000' },
      ETH_USDT_NETWORK_FEE: { type: 'string', pattern: '^[0-9]+([.][0-9]+)?$' },
      ETH_RPC_URL: { type: 'string' },
    });
    for (const name of ['DATABASE_URL', 'DATABASE_URL_FILE', 'ROLES', 'KEYSTORE_PASSPHRASE', 'ETH_XPUB', 'SOL_XPUB'])
      expect(Object.keys(variables)).not.toContain(name);
    expect(secretVariables()).toEqual(expect.arrayContaining(['DATABASE_URL', 'ETH_RPC_URL', 'ETH_XPUB']));
    expect(secretVariables()).not.toContain('KEYSTORE_PASSPHRASE');
  });
});

it("the chart's versions are the program's", () => {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  const chart = readFileSync(join(ROOT, 'deploy/helm/turnpike/Chart.yaml'), 'utf8');
  expect(/^version: (.+)$/m.exec(chart)?.[1]).toBe(version);
  expect(/^appVersion: (.+)$/m.exec(chart)?.[1]).toBe(version);
});
