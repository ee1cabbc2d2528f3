// What is stored with an idempotency key: a digest that confirms no guess without the deployment's secret.

import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { digestOf, findAnswer, storeAnswer, type IdempotencyKey } from '../../src/domain/idempotency.ts';
import { deriveSecrets } from '../../src/values/secrets/keys.ts';
import { createSetup, START, type Setup } from './book.fixture.ts';

const secrets = deriveSecrets('the secret of this deployment');
const INPUT = { amount: '5', currency: 'USDT' };

let setup: Setup;
beforeAll(async () => {
  setup = await createSetup();
});
afterAll(() => setup.stop());

const keyOf = (key: string, input: object = INPUT, by = secrets): IdempotencyKey => ({
  ...{ scope: 'mer_1', operation: 'createPayment', key },
  inputDigest: digestOf(by, input),
});

describe('the digest of an input', () => {
  it('is the same in any order of its fields, and another by another secret', () => {
    const { inputDigest } = keyOf('a');
    expect(inputDigest).toHaveLength(33);
    expect(digestOf(secrets, { currency: 'USDT', amount: '5', more: undefined })).toEqual(inputDigest);
    expect(digestOf(secrets, { ...INPUT, amount: '6' })).not.toEqual(inputDigest);
    expect(keyOf('a', INPUT, deriveSecrets('another secret altogether')).inputDigest).not.toEqual(inputDigest);
  });

  it('cannot be computed from the input alone: what is stored is no plain hash of it', async () => {
    await storeAnswer(setup.deps.db.em, keyOf('plain'), { id: 'ord_1' }, START);
    const [row] = await setup.sql<{ digest: Buffer }>(
      `select input_digest as digest from idempotency where key = 'plain'`,
    );
    const guess = createHash('sha256').update('{"amount":"5","currency":"USDT"}').digest();
    expect(row?.digest.includes(guess)).toBe(false);
  });
});

describe('an answer that was kept', () => {
  it('under another secret is refused (2002), and nothing is done a second time', async () => {
    await storeAnswer(setup.deps.db.em, keyOf('rotated'), { id: 'ord_3' }, START);
    expect(await findAnswer(setup.deps.db.em, keyOf('rotated'))).toEqual({ id: 'ord_3' });
    const changed = keyOf('rotated', INPUT, deriveSecrets('another secret altogether'));
    await expect(findAnswer(setup.deps.db.em, changed)).rejects.toMatchObject({ errorName: 'IDEMPOTENCY_MISMATCH' });
    expect(await storeAnswer(setup.deps.db.em, changed, { id: 'ord_4' }, START)).toBe(false);
  });
});
