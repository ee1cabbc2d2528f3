// Values that the chart refuses: unknown names, values out of range, and values that contradict each other.

import { describe, expect, it } from '@jest/globals';
import { LEAST, render, type Values } from './chart.fixture.ts';

const UNKNOWN: readonly (readonly [string, Values, RegExp])[] = [
  ['a name that does not exist', { replicas: 2 }, /'replicas' not allowed/],
  ['a name inside a role', { api: { replica: 2 } }, /'\/api'.*'replica' not allowed/s],
  ['more than one signer', { signer: { replicas: 2 } }, /'\/signer'.*'replicas' not allowed/s],
  ['a variable that the program does not read', { config: { ETH_USDT_FEE: '1' } }, /'ETH_USDT_FEE' not allowed/],
  ['a variable that the chart sets', { config: { ROLES: 'api' } }, /'ROLES' not allowed/],
  ['a secret among the variables', { config: { DATABASE_URL: 'postgresql://u:p@h/d' } }, /'DATABASE_URL' not allowed/],
  [
    'a path of a secret among the variables',
    { config: { DATABASE_URL_FILE: '/x' } },
    /'DATABASE_URL_FILE' not allowed/,
  ],
  ['a secret itself', { secrets: { TURNPIKE_SECRET: 'hunter2' } }, /TURNPIKE_SECRET.*want object/s],
  ['a secret that is none', { secrets: { BASE_URL: {} } }, /'BASE_URL' not allowed/],
  ['the passphrase for all roles', { secrets: { KEYSTORE_PASSPHRASE: {} } }, /'KEYSTORE_PASSPHRASE' not allowed/],
];

const WRONG: readonly (readonly [string, Values, RegExp])[] = [
  ['no repository', { image: { repository: '' } }, /image\/repository/],
  ['a number as a variable', { config: { ETH_CHAIN_ID: 1 } }, /ETH_CHAIN_ID.*want string/s],
  ['a choice that does not exist', { config: { REGISTRATION: 'friends' } }, /REGISTRATION.*must be one of/s],
  ['a page without HTTPS', { config: { BASE_URL: 'http://pay.kettle.example' } }, /BASE_URL.*pattern/s],
  ['no replica', { api: { replicas: 0 } }, /api\/replicas/],
  ['no page', { config: { BASE_URL: null } }, /missing property 'BASE_URL'/],
  ['no database', { secrets: { DATABASE_URL: null } }, /missing property 'DATABASE_URL'/],
  ['no keystore for a signer', { signer: { keystore: { secret: '' } } }, /signer\/keystore\/secret/],
  ['a size without a unit', { signer: { journal: { size: '1000' } } }, /journal\/size/],
  ['a shared journal', { signer: { journal: { accessMode: 'ReadWriteMany' } } }, /journal\/accessMode/],
  ['policies without callers', { networkPolicy: { callers: { from: [] } } }, /callers\/from/],
  ['policies without a database', { networkPolicy: { database: { to: [] } } }, /database\/to/],
  ['policies without nodes', { networkPolicy: { nodes: { to: [] } } }, /nodes\/to/],
  ['a peer that is everybody', { networkPolicy: { callers: { from: [{}] } } }, /callers\/from/],
];

const CONTRADICTIONS: readonly (readonly [string, Values, RegExp])[] = [
  [
    'a node in both places',
    { config: { ETH_RPC_URL: 'http://eth:8545' } },
    /api: ETH_RPC_URL is in config and in secrets/,
  ],
  ['no node at all', { secrets: { ETH_RPC_URL: null } }, /a node of a network is missing/],
  ['secrets from nowhere', { existingSecret: '' }, /secrets\.\w+: name a Secret, or set existingSecret/],
  ['no proxy and no certificate', { config: { TRUST_PROXY: null } }, /TRUST_PROXY: name your proxies/],
  ['two images', { image: { tag: '1', digest: `sha256:${'a'.repeat(64)}` } }, /tag and digest are both set/],
  ['Redis out of reach', { api: { secrets: { REDIS_URL: {} } } }, /networkPolicy\.redis\.to: is needed with REDIS_URL/],
  [
    'more at least than at most',
    { dispatcher: { autoscaling: { minReplicas: 9 } } },
    /dispatcher\.autoscaling: minReplicas is above maxReplicas/,
  ],
];

describe('the chart refuses', () => {
  it.each([...UNKNOWN, ...WRONG, ...CONTRADICTIONS])('%s', async (_, values, message) => {
    await expect(render(LEAST, values)).rejects.toThrow(message);
  });

  it('several faults at once, each with its name', async () => {
    const faults = render(LEAST, {
      image: { tag: '1', digest: `sha256:${'a'.repeat(64)}` },
      config: { TRUST_PROXY: null },
    });
    await expect(faults).rejects.toThrow(/TRUST_PROXY[^]*tag and digest/);
  });
});
