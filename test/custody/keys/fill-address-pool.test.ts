// The pool of addresses that only a signer can make: filled ahead, each given out once, and never filled from another
// seed.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { addressOfPublicKey } from '../../../src/chain/solana/address.ts';
import { createAddressPoolFiller } from '../../../src/custody/keys/fill-address-pool.ts';
import { createSeedSigner } from '../../../src/custody/keys/signer.ts';
import { connectDatabase, query, type Database } from '../../../src/database/connection.ts';
import { createAddressSource } from '../../../src/domain/addresses/derive.ts';
import type { Chain } from '../../../src/domain/deps.ts';
import { GatewayError } from '../../../src/values/errors.ts';
import { earliestIndex } from '../../support/derivation-indexes.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts';
import { PATIENT_DATABASE } from '../../support/patience.ts';

const signer = createSeedSigner(Buffer.alloc(64, 7));
const adapter = { account: 'sol', curve: 'ed25519', addressOf: addressOfPublicKey } as const;
const chain = { account: 'sol', adapter: { addresses: 'POOLED' } } as unknown as Chain;

const log = pino({ level: 'silent' });

let database: TestDatabase;
let db: Database;
beforeAll(async () => {
  database = await createTestDatabase();
  db = await connectDatabase({ url: database.url, poolMax: 8, log, patience: PATIENT_DATABASE });
});
beforeEach(() => query(db.em, 'truncate address_pool'));
afterAll(async () => {
  await db.close();
  await database.drop();
});

const fillerOf = (ahead: number, its = signer) => createAddressPoolFiller({ db, log }, { adapter, signer: its, ahead });

async function fill(ahead: number): Promise<void> {
  const filler = fillerOf(ahead);
  while (await filler.processNext());
}

const take = (source: ReturnType<typeof createAddressSource>, count: number) =>
  Promise.all(Array.from({ length: count }, () => source(chain)));

const count = async (where: string) => {
  const [row] = await query<{ n: number }>(db.em, `select count(*)::int as n from address_pool where ${where}`);
  return row?.n;
};

/** Takes addresses one by one until there are none left. */
async function takeAll(source: ReturnType<typeof createAddressSource>) {
  const taken: Awaited<ReturnType<typeof source>>[] = [];
  for (;;) {
    const one = await source(chain).catch((error: unknown) => error);
    if (one instanceof Error) {
      expect(one).toMatchObject({ row: { code: '3007' } });
      return taken;
    }
    taken.push(one as (typeof taken)[number]);
  }
}

const lowestIndex = async () => {
  const [row] = await query<{ index: number }>(db.em, 'select min(index)::float8 as index from address_pool');
  return row?.index ?? NaN;
};

describe('the pool', () => {
  it('is filled as far ahead as it should be, by several signers at once, with the addresses of their paths', async () => {
    const fillers = [fillerOf(250), fillerOf(250), fillerOf(250)];
    const before = await earliestIndex(db);
    for (let round = 0; round < 4; round += 1) await Promise.all(fillers.map(({ processNext }) => processNext()));
    expect(await Promise.all(fillers.map(({ processNext }) => processNext()))).toEqual([false, false, false]);
    // Signers that look at the same time may each add a batch, one after the other.
    const made = (await count('not taken')) ?? 0;
    expect(made).toBeGreaterThanOrEqual(250);
    expect(made).toBeLessThanOrEqual(450);
    const first = await lowestIndex();
    expect(first).toBeGreaterThanOrEqual(before);
    expect(await count(`index >= ${String(first + made)}`)).toBe(0);
    const [row] = await query<{ address: string; key: string }>(
      db.em,
      'select address, address_key as key from address_pool where index = $1',
      [first + 137],
    );
    expect(row).toEqual(addressOfPublicKey(await signer.publicKey(`m/44'/501'/${String(first + 137)}'/0'`, 'ed25519')));
  });

  it('gives each address once, to all who ask at once, on two processes and after a restart', async () => {
    await fill(300);
    const taken = [];
    for (let round = 0; round < 5; round += 1) {
      const [one, other] = [createAddressSource({ db, log }), createAddressSource({ db, log })];
      taken.push(...(await Promise.all([take(one, 20), take(other, 20)])).flat());
    }
    expect(new Set(taken.map(({ index }) => index)).size).toBe(200);
    expect(new Set(taken.map(({ key }) => key)).size).toBe(200);
    expect(taken.every(({ account, address, key }) => account === 'sol' && address === key)).toBe(true);
  });

  it('that is dry is 3007 until a signer fills it, and what was taken never comes again', async () => {
    await fill(16);
    const source = createAddressSource({ db, log });
    const first = await take(source, 16);
    const refused: unknown = await source(chain).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(GatewayError);
    expect((refused as GatewayError).row).toMatchObject({ code: '3007', status: 503 });
    expect((refused as GatewayError).message).toContain('signer');
    await fill(16);
    const second = await take(source, 16);
    expect(Math.min(...second.map(({ index }) => index))).toBeGreaterThan(Math.max(...first.map(({ index }) => index)));
    expect(new Set([...first, ...second].map(({ key }) => key)).size).toBe(32);
  });

  it('of before the server was restarted is void: a copy of the database may have handed it out meanwhile', async () => {
    await fill(40);
    const source = createAddressSource({ db, log });
    const before = await take(source, 3);
    await query(db.em, `update address_pool set server_run = '1.5'`);
    await expect(takeAll(createAddressSource({ db, log }))).resolves.toEqual([]);
    await fill(40);
    const highest = Math.max(...before.map(({ index }) => index)) + 37;
    const after = await takeAll(createAddressSource({ db, log }));
    expect(after).toHaveLength(40);
    expect(Math.min(...after.map(({ index }) => index))).toBeGreaterThanOrEqual(highest);
    expect(await count('not taken')).toBe(0);
  });

  it('of before an adoption is void, and the new one is a million indexes further', async () => {
    await fill(40);
    await query(db.em, `update cluster_identity set system_identifier = 'another'`);
    expect(await takeAll(createAddressSource({ db, log }))).toEqual([]);
    const before = await earliestIndex(db);
    await fill(40);
    const after = await takeAll(createAddressSource({ db, log }));
    expect(Math.min(...after.map(({ index }) => index))).toBeGreaterThanOrEqual(before + 1_000_000);
  });

  it('ends with the last index there is', async () => {
    await fill(1);
    await query(db.em, 'update address_pool set taken = true, index = $1', [2 ** 31 - 6]);
    const made = addressOfPublicKey(await signer.publicKey(`m/44'/501'/${String(2 ** 31 - 6)}'/0'`, 'ed25519'));
    await query(db.em, 'update address_pool set address = $1, address_key = $2', [made.address, made.key]);
    const filler = fillerOf(40);
    await filler.processNext();
    await expect(filler.processNext()).rejects.toThrow('The account sol has used up all of its indexes');
    const last = await takeAll(createAddressSource({ db, log }));
    expect(last.map(({ index }) => 2 ** 31 - index)).toEqual([5, 4, 3, 2, 1]);
  });

  it('is not filled by the signer of another seed', async () => {
    await fill(10);
    const stranger = createSeedSigner(Buffer.alloc(64, 8));
    await expect(fillerOf(20, stranger).processNext()).rejects.toThrow("another seed than this signer's");
    expect(await count('true')).toBe(10);
  });
});
