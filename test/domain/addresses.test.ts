// Fresh deposit addresses over several ranges, so that those derived ahead on the thread are among them.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { HDKey } from '@scure/bip32';
import { createAddressDerivation } from '../../src/chain/evm/derive.ts';
import { createDerivationThread } from '../../src/chain/derivation-thread.ts';
import { connectDatabase, query, type Database } from '../../src/database/connection.ts';
import { createAddressSource } from '../../src/domain/addresses.ts';
import type { Chain } from '../../src/domain/deps.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

const xpub = HDKey.fromMasterSeed(Buffer.alloc(32, 7)).derive("m/44'/60'/0'").publicExtendedKey;
const derive = createAddressDerivation();
const chain = { account: 'evm', adapter: { derive } } as unknown as Chain;

let database: TestDatabase;
let db: Database;
beforeAll(async () => {
  database = await createTestDatabase();
  db = await connectDatabase({
    url: database.url,
    poolMax: 4,
    log: pino({ level: 'silent' }),
    connectionWithinMs: 60_000,
  });
  await query(db.em, 'insert into derivation_account (account, xpub) values ($1, $2)', ['evm', xpub]);
});
afterAll(async () => {
  await db.close();
  await database.drop();
});

describe('the source of fresh addresses', () => {
  it('gives each index once, with the address of that index, to all who ask at once and on two processes', async () => {
    const [one, other] = [createAddressSource({ db }), createAddressSource({ db })];
    const taken = [];
    for (let round = 0; round < 10; round += 1)
      taken.push(...(await Promise.all(Array.from({ length: 80 }, (_, n) => (n % 3 === 0 ? other : one)(chain)))));
    expect(new Set(taken.map(({ index }) => index)).size).toBe(800);
    expect(new Set(taken.map(({ key }) => key)).size).toBe(800);
    for (const { index, account, address, key } of taken.filter((_, n) => n % 7 === 0))
      expect({ account, address, key }).toEqual({ account: 'evm', ...derive(xpub, index) });
  });

  it('says which account has no extended public key', async () => {
    const unknown = { ...chain, account: 'utxo' };
    await expect(createAddressSource({ db })(unknown)).rejects.toThrow('The account utxo has no extended public key');
  });
});

describe('the thread that derives ahead', () => {
  it('hands over every address of the range, in order', async () => {
    const got: { first: number; key: string }[] = [];
    await new Promise<void>((resolve) => {
      createDerivationThread()({ account: 'evm', xpub, first: 1_000, count: 40 }, (first, addresses) => {
        got.push(...addresses.map(({ key }, offset) => ({ first: first + offset, key })));
        if (got.length === 40) resolve();
      });
    });
    expect(got).toEqual(Array.from({ length: 40 }, (_, n) => ({ first: 1_000 + n, key: derive(xpub, 1_000 + n).key })));
  });

  it('hands over nothing for a kind that it does not know', async () => {
    const [addresses] = await new Promise<[readonly unknown[]]>((resolve) => {
      createDerivationThread()({ account: 'other', xpub, first: 0, count: 40 }, (_first, none) => resolve([none]));
    });
    expect(addresses).toEqual([]);
  });
});
