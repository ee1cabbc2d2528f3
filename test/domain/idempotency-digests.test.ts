// What is stored with an idempotency key: a digest that confirms no guess without the deployment's secret. Rows with
// the earlier, unkeyed digests keep working.

import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { digestsOf, findAnswer, storeAnswer, type IdempotencyKey } from '../../src/domain/idempotency.ts';
import { deriveSecrets } from '../../src/values/secrets/keys.ts';
import { createWorld, START, type World } from './book.fixture.ts';

const secrets = deriveSecrets('the secret of this deployment');
const INPUT = { amount: '5', currency: 'USDT' };

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.stop());

const keyOf = (key: string, input: object = INPUT, by = secrets): IdempotencyKey => ({
  ...{ scope: 'mer_1', operation: 'createPayment', key },
  ...digestsOf(by, input),
});
const unkeyed = (text: string) => createHash('sha256').update(text).digest();

describe('the digest of an input', () => {
  it('is the same in any order of its fields, and another by another secret', () => {
    const { inputDigest } = keyOf('a');
    expect(inputDigest).toHaveLength(33);
    expect(digestsOf(secrets, { currency: 'USDT', amount: '5', more: undefined }).inputDigest).toEqual(inputDigest);
    expect(digestsOf(secrets, { ...INPUT, amount: '6' }).inputDigest).not.toEqual(inputDigest);
    expect(keyOf('a', INPUT, deriveSecrets('another secret altogether')).inputDigest).not.toEqual(inputDigest);
  });

  it('cannot be computed from the input alone: what is stored is no plain hash of it', async () => {
    await storeAnswer(world.deps.db.em, keyOf('plain'), { id: 'ord_1' }, START);
    const [row] = await world.sql<{ digest: Buffer }>(
      `select input_digest as digest from idempotency where key = 'plain'`,
    );
    const guess = unkeyed('{"amount":"5","currency":"USDT"}');
    expect(guess).toEqual(digestsOf(secrets, INPUT).formerDigest());
    expect(row?.digest.includes(guess)).toBe(false);
  });
});

describe('an answer that was kept', () => {
  it('before digests were keyed is given again to the same input, and to no other (2002)', async () => {
    await world.sql(
      `insert into idempotency values ('mer_1', 'createPayment', 'former', $1, '{"id":"ord_2"}', now())`,
      [unkeyed('{"amount":"5","currency":"USDT"}')],
    );
    expect(await findAnswer(world.deps.db.em, keyOf('former'))).toEqual({ id: 'ord_2' });
    const other = findAnswer(world.deps.db.em, keyOf('former', { ...INPUT, amount: '6' }));
    await expect(other).rejects.toMatchObject({ errorName: 'IDEMPOTENCY_MISMATCH' });
  });

  it('under another secret is refused (2002), and nothing is done a second time', async () => {
    await storeAnswer(world.deps.db.em, keyOf('rotated'), { id: 'ord_3' }, START);
    expect(await findAnswer(world.deps.db.em, keyOf('rotated'))).toEqual({ id: 'ord_3' });
    const changed = keyOf('rotated', INPUT, deriveSecrets('another secret altogether'));
    await expect(findAnswer(world.deps.db.em, changed)).rejects.toMatchObject({ errorName: 'IDEMPOTENCY_MISMATCH' });
    expect(await storeAnswer(world.deps.db.em, changed, { id: 'ord_4' }, START)).toBe(false);
  });
});
