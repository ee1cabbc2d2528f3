// The doctor on the provider of identities: it answers, is away, or calls itself otherwise.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { checkProvider } from '../../../../src/cli/doctor/provider/provider.ts';
import type { Examination } from '../../../../src/cli/doctor/examination.ts';
import { readConfig } from '../../../../src/config/config.ts';
import { clientOf, startProvider, type TestProvider } from '../../../support/oidc/provider.ts';

let provider: TestProvider;
beforeAll(async () => {
  provider = await startProvider();
  provider.serve({ url: 'http://gateway.example' });
});
afterAll(() => provider.stop());

async function findingsOf(variables: Readonly<Record<string, string>>): Promise<string[]> {
  const examined = { config: readConfig(variables), now: () => new Date() } as Examination;
  return (await checkProvider(examined)).map(({ state, found }) => `${state}: ${found}`);
}

describe('the doctor on the provider', () => {
  it('says that none is used', async () => {
    expect(await findingsOf({})).toEqual(['ok: not used: nobody signs in by a provider']);
  });

  it('says that it answers', async () => {
    expect(await findingsOf(clientOf(provider))).toEqual([`ok: answers as ${provider.issuer}`]);
  });

  it('says why it cannot be used', async () => {
    const [away] = await findingsOf(clientOf({ issuer: 'http://127.0.0.1:1' }));
    expect(away).toMatch(/^fault: cannot be used: /);
    provider.tamper = (said) => ({ ...said, issuer: `${provider.issuer}/` });
    const [other] = await findingsOf(clientOf(provider));
    expect(other).toMatch(/^fault: cannot be used: .*OIDC_ISSUER/);
  });
});
