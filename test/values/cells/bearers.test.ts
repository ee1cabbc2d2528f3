// Which cell a token, a key or a link's secret belongs to, told by its form.

import { afterEach, describe, expect, it } from '@jest/globals';
import { issueToken } from '../../../src/access/tokens.ts';
import { operatorToken } from '../../../src/access/operators.ts';
import { cellOfBearer, cellOfKey, refuseForeign } from '../../../src/values/cells/bearer-cell.ts';
import { useCell } from '../../../src/values/cells/own-cell.ts';
import { newId } from '../../../src/values/id.ts';
import { deriveSecrets, isOfOtherEnvironment, newKeyPair } from '../../../src/values/secrets/keys.ts';

afterEach(() => useCell(null));

const secrets = deriveSecrets('only-for-this-test-00000000000000000');
const tokenOf = async (merchantId: string) =>
  (
    await issueToken(
      { secrets, environment: 'sandbox', ttlSeconds: 60 },
      { merchantId, keyId: null, sessionId: newId('ses'), permissions: [] },
      new Date(),
    )
  ).accessToken;

describe.each([0, 7, 42, 999])('what is made in cell %d says so', (cell) => {
  it('API keys, which are as long as any other', () => {
    const plain = newKeyPair('live');
    useCell({ cell, since: 0 });
    for (const environment of ['live', 'sandbox'] as const) {
      const { keyId, secret } = newKeyPair(environment);
      expect([keyId.length, secret.length]).toEqual([plain.keyId.length, plain.secret.length]);
      expect([cellOfKey(keyId), cellOfKey(secret), cellOfBearer(secret)]).toEqual([cell, cell, cell]);
      expect(isOfOtherEnvironment(keyId, environment)).toBe(false);
      expect(keyId).toContain(`_u${String(cell).padStart(3, '0')}`);
    }
  });

  it("tokens, by their merchant, and operators' by their session", async () => {
    useCell({ cell, since: 0 });
    expect(cellOfBearer(await tokenOf(newId('mer')))).toBe(cell);
    expect(cellOfBearer(operatorToken(secrets, newId('ses')))).toBe(cell);
  });
});

describe('what was made without a cell has none', () => {
  it('keys and tokens', async () => {
    for (let count = 0; count < 2_000; count += 1) {
      const { keyId, secret } = newKeyPair('sandbox');
      expect([cellOfKey(keyId), cellOfKey(secret)]).toEqual([null, null]);
    }
    expect(cellOfBearer(await tokenOf(newId('mer')))).toBeNull();
  });

  it.each(['', '.', '..', 'a.b.c', 'op_', 'op_.', 'sk_test_', `a.${Buffer.from('[]').toString('base64url')}.c`])(
    'nor has %j',
    (bearer) => {
      expect(cellOfBearer(bearer)).toBeNull();
    },
  );

  it('nor has a token that is too long to be one', () => {
    useCell({ cell: 7, since: 0 });
    const payload = Buffer.from(JSON.stringify({ sub: newId('mer'), filler: 'x'.repeat(4_096) })).toString('base64url');
    expect(cellOfBearer(`a.${payload}.c`)).toBeNull();
  });
});

describe('refuseForeign', () => {
  it('names the cell to go to, as 421', () => {
    useCell({ cell: 7, since: 0 });
    expect(() => refuseForeign(7)).not.toThrow();
    expect(() => refuseForeign(null)).not.toThrow();
    expect(() => refuseForeign(8)).toThrow(
      expect.objectContaining({ errorName: 'MISDIRECTED', details: [{ path: 'cell', message: '8' }] }),
    );
  });

  it('refuses nothing where there are no cells', () => {
    expect(() => refuseForeign(8)).not.toThrow();
  });
});
