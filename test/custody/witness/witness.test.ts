// What a signer does while the book may be older than what was signed: it writes the journal before it sends, waits,
// halts on what it cannot explain, and resumes by itself once all is well.

import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { ChainUnavailable } from '../../../src/chain/errors.ts';
import { createNodePool } from '../../../src/chain/pool/node-pool.ts';
import { accountPath, accountPaths } from '../../../src/custody/keys/account-keys.ts';
import { openJournal } from '../../../src/custody/witness/journal.ts';
import { makeTestFolder } from '../../support/database/database.ts';
import { createLiar } from '../hostile/liar.fixture.ts';
import { OUTSIDE } from '../payout-setup.fixture.ts';
import { book, restorable, settle, shop, stage } from '../recovery/restored/shop.fixture.ts';

const UNIT = 1_000_000n;
const PATHS = accountPaths(accountPath('evm'));
const HOT = PATHS.wallet(0);
const GAS = PATHS.wallet(1);

beforeEach(async () => {
  await stage.pay(await stage.order(shop), 'USDT', 200n * UNIT);
});

const withdrawal = (amount: string) => ({ merchantId: shop, currency: 'USDT', amount, address: OUTSIDE });
const received = () => stage.holds(OUTSIDE, 'USDT');

/** Spends with our key, like another holder of the seed. */
async function spend(path: string, to: string, currency: string, amount: bigint): Promise<string> {
  const { adapter, signer, dev } = stage;
  const { key: from } = adapter.addressOf(await signer.publicKey(path));
  const request = { from, to, currency, amount };
  const nonce = (await adapter.nonces([from])).get(from) ?? 0;
  const unsigned = adapter.buildTransaction({ ...request, nonce, quote: await adapter.quote(request) });
  const [part] = unsigned.toSign;
  const { raw, txHash } = unsigned.finish([await signer.sign(path, part?.message ?? new Uint8Array())]);
  await dev.sendRaw(raw);
  await dev.mine(2);
  return txHash;
}

describe('what is signed', () => {
  it('is written down before any node sees it, with its payout and the key it was asked for under', async () => {
    const folder = await makeTestFolder('before');
    const journal = openJournal({ folder, network: 'ETH' });
    const sent: string[] = [];
    const watched = {
      ...stage.dev,
      sendRaw: async (raw: string) => {
        const texts = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name), 'utf8')));
        if (!texts.join('').includes(raw)) throw new Error('it was sent before it was written down');
        sent.push(raw);
        return stage.dev.sendRaw(raw);
      },
    };
    const { id } = await book.withdraw({ ...withdrawal('20'), id: 'a' });
    await stage.settle(book.sender({ journal, devChain: watched }), book.watcher);
    expect(await book.payout(id)).toMatchObject({ status: 'COMPLETED' });
    expect(sent.length).toBeGreaterThan(1);
    const lines: { payout: unknown; once: unknown }[] = [];
    await journal.scan((some) =>
      Promise.resolve(void lines.push(...some.map(({ body }) => JSON.parse(body) as (typeof lines)[number]))),
    );
    expect(lines.at(-1)).toMatchObject({
      payout: { id, merchant_withdrawal_id: 'a', amount: 20_000_000 },
      once: { key: 'a', operation: 'withdraw', input_digest: expect.stringMatching(/^\\x[0-9a-f]{66}$/) as unknown },
    });
  });

  it('is added to the journal of another signer that sends it again', async () => {
    const { id } = await book.withdraw(withdrawal('20'));
    const mute = { ...stage.dev, sendRaw: () => Promise.reject(new Error('cut off')) };
    const signer = book.sender({ devChain: mute });
    await expect(stage.settle(signer, book.watcher)).rejects.toThrow('cut off');
    const folder = await makeTestFolder('other');
    const journal = openJournal({ folder, network: 'ETH' });
    await journal.append([]);
    await stage.settle(book.sender({ journal }), book.watcher);
    expect(await book.payout(id)).toMatchObject({ status: 'COMPLETED' });
    const rows = await book.sql<{ hash: string }>('select tx_hash as hash from transfer order by id');
    expect([...journal.tail()].sort()).toEqual(rows.map(({ hash }) => hash).sort());
  });
});

describe('a transaction that was signed by hand', () => {
  it('halts its network, and its recovery books it and lets the network go on', async () => {
    await book.withdraw(withdrawal('20'));
    await settle();
    const before = await received();
    const { id } = await book.withdraw(withdrawal('30'));
    const hash = await spend(HOT, OUTSIDE, 'USDT', 7n * UNIT);
    await settle();
    expect(await book.isHalted()).toBe(true);
    expect(await book.payout(id)).toMatchObject({ status: 'REQUESTED', held_reason: 'NETWORK_HALTED' });
    expect((await received()) - before).toBe(7n * UNIT);

    const { outcome, said } = await book.recover({ note: 'a test by hand' });
    expect(outcome).toBe('recovered');
    expect(said).toContain(`${hash}: unexplained outflow of 7 USDT`);
    await settle();
    expect(await book.payout(id)).toMatchObject({ status: 'COMPLETED', held_reason: null });
    expect((await received()) - before).toBe(37n * UNIT);
    await book.audit();
    expect(await book.sql('select details from operator_log')).toEqual([
      { details: { note: 'a test by hand', attached: {} } },
    ]);
  });

  it('is found by the pending nonce before it is mined', async () => {
    await book.withdraw(withdrawal('20'));
    await settle();
    const { id } = await book.withdraw(withdrawal('30'));
    const { adapter, signer } = stage;
    const { key: from } = adapter.addressOf(await signer.publicKey(GAS));
    const request = { from, to: OUTSIDE, currency: 'ETH', amount: 5n };
    const nonce = (await adapter.nonces([from])).get(from) ?? 0;
    const unsigned = adapter.buildTransaction({ ...request, nonce, quote: await adapter.quote(request) });
    const [part] = unsigned.toSign;
    const { raw } = unsigned.finish([await signer.sign(GAS, part?.message ?? new Uint8Array())]);
    await adapter.broadcast(raw);
    await stage.settle(book.sender());
    expect(await book.isHalted()).toBe(true);
    expect(await book.payout(id)).toMatchObject({ status: 'REQUESTED' });
    expect(await book.sql('select findings from signing_halt')).toMatchObject([
      { findings: [{ kind: 'NONCE_AHEAD', address: from }] },
    ]);
  });

  it('is not believed of a nonce by the word of one node', async () => {
    await book.withdraw(withdrawal('20'));
    await settle();
    const { id } = await book.withdraw(withdrawal('30'));
    const liar = createLiar(stage.adapter);
    liar.tell('counts');
    const adapter = createNodePool({ adapters: [liar.adapter, stage.adapter] });
    const chain = book.deps.chains.get('ETH');
    if (!chain) throw new Error('There is no chain');
    const sender = book.sender({ chain: { ...chain, adapter } });
    await expect(sender.processNext()).rejects.toThrow(ChainUnavailable);
    expect(await book.isHalted()).toBe(false);
    expect(await book.payout(id)).toMatchObject({ status: 'REQUESTED' });
    liar.tell(null);
    await stage.settle(sender, book.watcher);
    expect(await book.payout(id)).toMatchObject({ status: 'COMPLETED' });
  });

  it('credits nobody and is no capital until it is explained; gas that it brought never is a deposit', async () => {
    await book.withdraw(withdrawal('20'));
    await settle();
    const order = await stage.order(shop, 'ETH');
    const other = await stage.setup.merchant();
    const paid = await stage.order(other, 'USDT');
    const operatorFunding = () =>
      book.sql(`select currency, balance::text from ledger_account where purpose = 'capital' order by currency`);
    const before = await operatorFunding();
    await spend(GAS, order.addressKey, 'ETH', 1_000n);
    await spend(HOT, paid.addressKey, 'USDT', 5n * UNIT);
    const { key: hot } = stage.adapter.addressOf(await stage.signer.publicKey(HOT));
    await spend(GAS, hot, 'ETH', 2_000n);
    await settle();
    expect(await book.sql('select id from deposit where payment_id = any($1)', [[order.id, paid.id]])).toEqual([]);
    expect(await operatorFunding()).toEqual(before);

    expect(await book.recover()).toMatchObject({ outcome: 'recovered' });
    await settle();
    // What was paid to an address of ours is its merchant's; all other transactions moved money between our own
    // wallets.
    expect(
      await book.sql('select payment_id, credited from deposit where payment_id = any($1)', [[order.id, paid.id]]),
    ).toEqual([{ payment_id: paid.id, credited: true }]);
    expect(await stage.setup.balance(other)).toMatchObject({ available: 4_950_000n });
    expect(await operatorFunding()).toEqual(before);
    await book.audit();
  });
});

describe('a book that is compared', () => {
  it('is signed for again by itself once the chain is read to its tip and nothing is missing', async () => {
    await book.withdraw(withdrawal('20'));
    await settle();
    await restorable.backUp();
    const copy = await restorable.restore('present');
    const before = await received();
    await stage.dev.mine(3);
    const { id } = await copy.withdraw(withdrawal('30'));
    const signer = copy.sender();
    await stage.settle(signer);
    expect(await copy.payout(id)).toMatchObject({ status: 'REQUESTED', held_reason: null });
    await stage.settle(signer, copy.watcher);
    expect(await copy.payout(id)).toMatchObject({ status: 'COMPLETED' });
    expect((await received()) - before).toBe(30n * UNIT);
    expect(await copy.isHalted()).toBe(false);
    await copy.audit();
  });

  it('with payouts and without a journal is halted, until somebody accepts that', async () => {
    await book.withdraw(withdrawal('20'));
    await settle();
    await restorable.backUp();
    const copy = await restorable.restore('lost');
    const { id } = await copy.withdraw(withdrawal('30'));
    await settle(copy);
    expect(await copy.sql('select findings from signing_halt')).toEqual([{ findings: [{ kind: 'JOURNAL_MISSING' }] }]);
    expect(await copy.recover()).toMatchObject({ outcome: 'halted' });
    expect(await copy.isHalted()).toBe(true);
    expect(await copy.recover({ acceptMissingJournal: true })).toMatchObject({ outcome: 'recovered' });
    await settle(copy);
    expect(await copy.payout(id)).toMatchObject({ status: 'COMPLETED' });
  });

  it('beside a damaged journal is halted, and the reason names the line', async () => {
    const folder = await makeTestFolder('damaged');
    const journal = () => openJournal({ folder, network: 'ETH' });
    await book.withdraw(withdrawal('20'));
    await stage.settle(book.sender({ journal: journal() }), book.watcher);
    const path = join(folder, (await readdir(folder))[0] ?? '');
    await writeFile(path, (await readFile(path, 'utf8')).replace('SWEEP', 'sweep'));
    const { id } = await book.withdraw(withdrawal('30'));
    await stage.settle(book.sender({ journal: journal() }), book.watcher);
    expect(await book.payout(id)).toMatchObject({ status: 'REQUESTED', held_reason: 'NETWORK_HALTED' });
    const [row] = await book.sql<{ findings: { reason: string }[] }>('select findings from signing_halt');
    expect(row?.findings[0]?.reason).toContain(`${path} is damaged in line`);
    await rm(path);
  });
});

describe('a recovery', () => {
  it('tells nobody anything twice, and keeps what reached lost orders in suspense', async () => {
    const known = await stage.order(shop);
    await restorable.backUp();
    const lostOrder = await stage.order(shop);
    await stage.pay(known, 'USDT', UNIT);
    await stage.pay(lostOrder, 'USDT', 3n * UNIT);
    const { id } = await book.withdraw(withdrawal('20'));
    await settle();
    expect(await book.payout(id)).toMatchObject({ status: 'COMPLETED' });

    const copy = await restorable.restore('present');
    await settle(copy);
    const events = () => copy.sql('select id, type, payload from event order by id');
    const before = await events();
    expect(await copy.recover({ gap: 50 })).toMatchObject({ outcome: 'recovered' });
    expect(await events()).toEqual(before);
    await settle(copy);
    expect(await copy.payout(id)).toMatchObject({ status: 'COMPLETED' });
    expect(
      await copy.sql(
        `select balance::text as units from ledger_account where purpose = 'suspense' and currency = 'USDT'`,
      ),
    ).toEqual([{ units: String(3n * UNIT) }]);
    await copy.audit();
  });

  it('lists the payouts that a transaction may have paid, and takes the one that its operator names', async () => {
    await book.withdraw(withdrawal('20'));
    await settle();
    const one = await book.withdraw(withdrawal('30'));
    const two = await book.withdraw(withdrawal('30'));
    const hash = await spend(HOT, OUTSIDE, 'USDT', 30n * UNIT);
    await settle();
    const before = await received();
    const { outcome, said } = await book.recover();
    expect(outcome).toBe('halted');
    expect(said).toContain(`${hash} may have paid one of ${[one.id, two.id].sort().join(', ')}`);
    await expect(book.recover({ attached: new Map([[hash, 'wdr_other']]) })).rejects.toThrow('is not a candidate for');
    expect(await book.recover({ attached: new Map([[hash, two.id]]) })).toMatchObject({ outcome: 'recovered' });
    await settle();
    expect(await book.payout(two.id)).toMatchObject({ status: 'COMPLETED', tx_hash: hash });
    expect(await book.payout(one.id)).toMatchObject({ status: 'COMPLETED' });
    expect((await received()) - before).toBe(30n * UNIT);
    await book.audit();
  });
});
