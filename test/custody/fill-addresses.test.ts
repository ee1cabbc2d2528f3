// The pool of addresses that only a signer can make: filled ahead, given out once each, and never filled by another seed.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { addressOfPublicKey } from '../../src/chain/solana/address.ts';
import { createAddressFiller } from '../../src/custody/fill-addresses.ts';
import { createSeedSigner } from '../../src/custody/signer.ts';
import { connectDatabase, query, type Database } from '../../src/database/connection.ts';
import { createAddressSource } from '../../src/domain/addresses.ts';
import type { Chain } from '../../src/domain/deps.ts';
import { GatewayError } from '../../src/values/errors.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

const signer = createSeedSigner(Buffer.alloc(64, 7));
const adapter = { account: 'sol', curve: 'ed25519', addressOf: addressOfPublicKey } as const;
const chain = { account: 'sol', adapter: { addresses: 'POOLED' } } as unknown as Chain;

let database: TestDatabase;
let db: Database;
beforeAll(async () => {
  database = await createTestDatabase();
  db = await connectDatabase({ url: database.url, poolMax: 8, log: pino({ level: 'silent' }) });
});
beforeEach(() => query(db.em, 'truncate address_pool'));
afterAll(async () => {
  await db.close();
  await database.drop();
});

const fillerOf = (ahead: number, its = signer) => createAddressFiller({ db }, { adapter, signer: its, ahead });

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

describe('the pool', () => {
  it('is filled as far ahead as it should be, by several signers at once, with the addresses of their paths', async () => {
    const fillers = [fillerOf(250), fillerOf(250), fillerOf(250)];
    for (let round = 0; round < 4; round += 1) await Promise.all(fillers.map(({ processNext }) => processNext()));
    expect(await Promise.all(fillers.map(({ processNext }) => processNext()))).toEqual([false, false, false]);
    // Those that look at the same time may each add a batch, one after the other.
    const made = (await count('not taken')) ?? 0;
    expect(made).toBeGreaterThanOrEqual(250);
    expect(made).toBeLessThanOrEqual(450);
    expect(await count(`index >= ${String(made)}`)).toBe(0);
    const [row] = await query<{ address: string; key: string }>(
      db.em,
      'select address, address_key as key from address_pool where index = 137',
    );
    expect(row).toEqual(addressOfPublicKey(await signer.publicKey("m/44'/501'/137'/0'", 'ed25519')));
  });

  it('gives each address once, to all who ask at once, on two processes and after a restart', async () => {
    await fill(300);
    const taken = [];
    for (let round = 0; round < 5; round += 1) {
      const [one, other] = [createAddressSource({ db }), createAddressSource({ db })];
      taken.push(...(await Promise.all([take(one, 20), take(other, 20)])).flat());
    }
    expect(new Set(taken.map(({ index }) => index)).size).toBe(200);
    expect(new Set(taken.map(({ key }) => key)).size).toBe(200);
    expect(taken.every(({ account, address, key }) => account === 'sol' && address === key)).toBe(true);
  });

  it('that is dry is 3007 until a signer fills it, and what was taken never comes again', async () => {
    await fill(16);
    const source = createAddressSource({ db });
    const first = await take(source, 16);
    const refused: unknown = await source(chain).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(GatewayError);
    expect((refused as GatewayError).row).toMatchObject({ code: '3007', status: 503 });
    expect((refused as GatewayError).message).toContain('signer');
    await fill(16);
    const second = await take(source, 16);
    expect(Math.min(...second.map(({ index }) => index))).toBe(16);
    expect(new Set([...first, ...second].map(({ key }) => key)).size).toBe(32);
  });

  it('is not filled by the signer of another seed', async () => {
    await fill(10);
    const stranger = createSeedSigner(Buffer.alloc(64, 8));
    await expect(fillerOf(20, stranger).processNext()).rejects.toThrow("another seed than this signer's");
    expect(await count('true')).toBe(10);
  });
});
