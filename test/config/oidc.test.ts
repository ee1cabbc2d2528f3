// The provider of identities: all of its variables or no one of them, and nothing that a live gateway could not trust.

import { describe, expect, it } from '@jest/globals';
import { createReader } from '../../src/config/reader.ts';
import { readOidc } from '../../src/config/oidc.ts';

const ALL = { OIDC_ISSUER: 'https://id.kettle.example/realm', OIDC_CLIENT_ID: 'pay', OIDC_CLIENT_SECRET: 'a secret' };

function read(source: Readonly<Record<string, string>>, live = true) {
  const reader = createReader(source);
  return { ...readOidc(reader, live), faults: reader.faults };
}
const faultsOf = (source: Readonly<Record<string, string>>, live = true) =>
  read(source, live).faults.map((fault) => fault.split(':')[0]);

describe('the provider of identities', () => {
  it('is not there by default', () => expect(read({})).toEqual({ oidc: null, faults: [] }));

  it('is known by its name, or by its host', () => {
    const client = { issuer: ALL.OIDC_ISSUER, clientId: 'pay', clientSecret: 'a secret' };
    expect(read(ALL)).toEqual({ oidc: { ...client, name: 'id.kettle.example' }, faults: [] });
    expect(read({ ...ALL, OIDC_NAME: 'Kettle ID' })).toEqual({ oidc: { ...client, name: 'Kettle ID' }, faults: [] });
  });

  it.each(Object.keys(ALL))('needs %s with the others', (name) => {
    const { [name as keyof typeof ALL]: _left, ...rest } = ALL;
    expect(faultsOf(rest)).toEqual([name]);
  });

  it('has no name without an issuer', () => expect(faultsOf({ OIDC_NAME: 'Kettle ID' })).toEqual(['OIDC_ISSUER']));

  it('is not asked over http in live', () => {
    const plain = { ...ALL, OIDC_ISSUER: 'http://localhost:4000' };
    expect(faultsOf(plain)).toEqual(['OIDC_ISSUER']);
    expect(read(plain, false)).toMatchObject({ oidc: { name: 'localhost:4000' }, faults: [] });
  });

  it.each([
    'id.example',
    'https://id.example?x=1',
    'https://id.example#x',
    'ftp://id.example',
    'https://u:p@id.example',
  ])('is not %s', (OIDC_ISSUER) => expect(faultsOf({ ...ALL, OIDC_ISSUER })).toEqual(['OIDC_ISSUER']));

  it('repeats no password of an issuer, and no secret', () => {
    const { faults } = read({ ...ALL, OIDC_ISSUER: 'https://u:hidden@id.example', OIDC_NAME: 'x'.repeat(51) });
    expect(faults).toHaveLength(2);
    expect(faults.join()).not.toMatch(/hidden|a secret/);
  });
});
