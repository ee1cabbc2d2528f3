// Events turned into mails: to those whom they concern, once, in their language, and no more than people can read.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Deps } from '../../src/domain/deps.ts';
import {
  endpointDisabledRow,
  payoutEventRow,
  recordEvents,
  settlementSkippedRow,
  type PayoutEventType,
} from '../../src/domain/events/record.ts';
import type { PayoutSnapshot } from '../../src/domain/snapshots/payout.ts';
import { createMailRelay } from '../../src/mailer/relay-mails.ts';
import { newId } from '../../src/values/id.ts';
import type { Role } from '../../src/values/member-permission.ts';
import { createSetup, minutesLater, START, type Setup } from '../domain/book.fixture.ts';
import { writeNumbers } from './event-numbers.fixture.ts';

const CUSTOMERS = { keys: { customerKey: Buffer.alloc(32, 3) }, perDay: 1_000 };
const BANK = '0x52908400098527886E0F7030069857D2E4169EE7';

let setup: Setup;
let shop: string;
let deps: Deps;
let run: () => Promise<boolean>;
let joined = 0;

beforeAll(async () => {
  setup = await createSetup();
  deps = { ...setup.deps, sendsMail: true };
});
beforeEach(async () => {
  setup.setNow(START);
  await setup.sql('delete from mail');
  await setup.sql('delete from relay_cursor');
  run = () => createMailRelay(deps, CUSTOMERS).processNext();
  shop = await setup.merchant();
  await setup.sql('delete from membership where merchant_id = $1', [shop]);
  await run();
});
afterAll(() => setup.stop());

/** Lets somebody with a confirmed address join; those who joined first come first. */
async function join(
  role: Role,
  { locale = null, isConfirmed = true }: { locale?: string | null; isConfirmed?: boolean } = {},
) {
  const id = newId('usr');
  joined += 1;
  const email = `${role.toLowerCase()}-${String(joined)}@shop.example`;
  await setup.sql(
    'insert into person (id, email, name, locale, email_verified_at, created_at) values ($1, $2, $3, $4, $5, $6)',
    [id, email, '', locale, isConfirmed ? START : null, START],
  );
  await setup.sql(`insert into membership (merchant_id, person_id, role, created_at) values ($1, $2, $3, $4)`, [
    shop,
    id,
    role,
    minutesLater(joined),
  ]);
  return { id, email };
}

/** Records events of payouts that they ask for, numbered at once. */
async function record(type: PayoutEventType, fields: Partial<PayoutSnapshot>, count = 1): Promise<void> {
  const payout = { id: 'wdr_1', paymentId: null, status: 'AWAITING_APPROVAL', amount: '100', networkFee: '1' } as const;
  const asset = { currency: 'USDT', network: 'ETH', address: BANK, requestedBy: null, failureReason: null } as const;
  const snapshot = { ...payout, ...asset, ...fields } as PayoutSnapshot;
  const event = { type, merchantId: shop, version: 1, payout: snapshot, at: START };
  await recordEvents(
    deps.db.em,
    Array.from({ length: count }, () => payoutEventRow('sandbox', event)),
  );
  await number();
}

const number = () => writeNumbers(setup);

interface Row {
  readonly template: string;
  readonly recipient: string;
  readonly locale: string;
  readonly params: Record<string, string>;
}
const mails = () => setup.sql<Row>('select template, recipient, locale, params from mail order by recipient, id');
const told = async () => (await mails()).map(({ template, recipient }) => `${template} ${recipient}`);

describe('a payout that waits', () => {
  it('is told to those who may decide, in their languages, and not to the requester', async () => {
    const [owner, admin] = [await join('OWNER'), await join('ADMIN', { locale: 'de' })];
    await join('VIEWER');
    await record('withdrawal.requested', { requestedBy: owner.id });
    await run();
    const params = { company: expect.any(String), by: owner.email, amount: '100 USDT (ETH)', address: BANK };
    expect(await mails()).toEqual([{ template: 'PAYOUT_AWAITING', recipient: admin.email, locale: 'de', params }]);
    await run();
    expect(await mails()).toHaveLength(1);
  });

  it('is told once for a batch, and so is that it was rejected', async () => {
    const owner = await join('OWNER');
    await join('ADMIN');
    const batchId = newId('bat');
    await setup.sql('insert into payout_batch (id, merchant_id, rows, created_at) values ($1, $2, 3, $3)', [
      batchId,
      shop,
      START,
    ]);
    await record('withdrawal.requested', { batchId, requestedBy: owner.id }, 3);
    await run();
    const amount = '100 USDT (ETH) + 2';
    expect(await mails()).toMatchObject([{ template: 'PAYOUT_AWAITING', params: { amount, address: batchId } }]);
    await setup.sql('delete from mail');
    await record('withdrawal.rejected', { batchId, status: 'REJECTED', failureReason: 'no' }, 3);
    await run();
    expect(await mails()).toMatchObject([
      { template: 'PAYOUT_REJECTED', params: { id: batchId, amount, reason: 'no' } },
    ]);
  });

  it('of a key is told to the one who made the key, too: it may be stolen', async () => {
    const [owner, admin] = [await join('OWNER'), await join('ADMIN')];
    await setup.sql(
      `insert into api_key (key_id, merchant_id, secret_digest, name, permissions, ip_whitelist, created_at, created_by)
       values ('pk_test_relay', $1, 'x', 'Till', '{WITHDRAW}', '{}', $2, $3)`,
      [shop, START, admin.id],
    );
    await record('refund.requested', { requestedBy: 'pk_test_relay', paymentId: 'ord_1' });
    await run();
    expect((await mails()).map(({ recipient, params }) => [recipient, params['by']])).toEqual([
      [admin.email, 'Till'],
      [owner.email, 'Till'],
    ]);
  });

  it('that needs no approval is told to nobody', async () => {
    await join('OWNER');
    await record('withdrawal.requested', { status: 'REQUESTED' });
    await record('withdrawal.completed', { status: 'COMPLETED' });
    await run();
    expect(await mails()).toEqual([]);
  });
});

describe('a payout that came to nothing', () => {
  it.each([
    ['withdrawal.failed', 'PAYOUT_FAILED'],
    ['refund.rejected', 'PAYOUT_REJECTED'],
  ] as const)('%s is told to the owners and the requester', async (type, template) => {
    const [owner, accountant] = [await join('OWNER'), await join('ACCOUNTANT')];
    await join('ADMIN');
    await record(type, { requestedBy: accountant.id, failureReason: 'not ours' });
    await run();
    expect(await told()).toEqual([`${template} ${accountant.email}`, `${template} ${owner.email}`]);
  });

  it('is not told to a requester who has left', async () => {
    const [owner, accountant] = [await join('OWNER'), await join('ACCOUNTANT')];
    await setup.sql('delete from membership where person_id = $1', [accountant.id]);
    await record('withdrawal.failed', { requestedBy: accountant.id });
    await run();
    expect(await told()).toEqual([`PAYOUT_FAILED ${owner.email}`]);
  });
});

describe('a webhook that is switched off', () => {
  it('is told to those who look after webhooks, without what its query may hide', async () => {
    const developer = await join('DEVELOPER');
    await join('ACCOUNTANT');
    await setup.sql(
      `insert into webhook_endpoint (id, merchant_id, url, events, is_primary, enabled, disabled_at, created_at, updated_at)
       values ($1, $2, 'https://shop.example/hook?key=secret', '{}', false, false, $3, $3, $3)`,
      [newId('whk'), shop, START],
    );
    await recordEvents(deps.db.em, [endpointDisabledRow(shop, START)]);
    await number();
    await run();
    expect((await mails()).map(({ template, recipient, params }) => [template, recipient, params['url']])).toEqual([
      ['WEBHOOK_OFF', developer.email, 'https://shop.example/hook'],
    ]);
  });
});

describe('a mailbox', () => {
  it('gets ten mails of a kind in an hour, whatever happens at a merchant', async () => {
    await join('OWNER');
    await record('withdrawal.failed', {}, 250);
    while (await run());
    expect(await mails()).toHaveLength(10);
    const [cursor] = await setup.sql<{ isAtEnd: boolean }>(
      `select position = (select max(position) from event) as "isAtEnd" from relay_cursor where name = 'mail'`,
    );
    expect(cursor).toEqual({ isAtEnd: true });
    await record('withdrawal.rejected', {});
    setup.setNow(minutesLater(61));
    await record('withdrawal.failed', {});
    await run();
    expect(await mails()).toHaveLength(12);
  });

  it('that nobody has confirmed gets ten mails in a day', async () => {
    await join('OWNER', { isConfirmed: false });
    for (const type of ['withdrawal.failed', 'withdrawal.rejected'] as const) await record(type, {}, 8);
    await run();
    setup.setNow(minutesLater(23 * 60));
    await record('withdrawal.failed', {});
    await run();
    expect(await mails()).toHaveLength(10);
  });

  it('is one of the twenty of longest standing', async () => {
    const owners = [];
    for (let nth = 0; nth < 22; nth += 1) owners.push(await join('OWNER'));
    await record('withdrawal.failed', {});
    await run();
    const expected = owners.slice(0, 20).map(({ email }) => `PAYOUT_FAILED ${email}`);
    expect(await told()).toEqual(expected.sort());
  });
});

describe('the relay', () => {
  it('mails nothing of the time before it began', async () => {
    await join('OWNER');
    await record('withdrawal.failed', {});
    await setup.sql('delete from relay_cursor');
    await run();
    expect(await mails()).toEqual([]);
    await record('withdrawal.failed', {});
    await Promise.all([run(), run()]);
    expect(await mails()).toHaveLength(1);
  });

  it('moves on without a mail where none leave, and mails nothing of that time later', async () => {
    await join('OWNER');
    await record('withdrawal.failed', {});
    await createMailRelay({ ...deps, sendsMail: false }, CUSTOMERS).processNext();
    await run();
    expect(await mails()).toEqual([]);
  });
});

describe('a settlement that was skipped', () => {
  it('is told to the owners, and to those who changed its rule last', async () => {
    const [owner, admin] = [await join('OWNER'), await join('ADMIN')];
    await join('ADMIN');
    await setup.sql(
      `insert into payout_address (id, merchant_id, network, address, address_key, label, created_by, created_at, usable_at)
       values ('adr_' || $1, $1, 'ETH', $2, $2, 'Bank', $3, $4, $4)`,
      [shop, BANK, owner.id, START],
    );
    await setup.sql(
      `insert into settlement_rule (id, merchant_id, currency, network, address_id, threshold, keep, schedule, enabled,
         skipped_at, skip_reason, updated_by, created_at, updated_at)
       values ('stl_' || $1, $1, 'USDT', 'ETH', 'adr_' || $1, 1, 0, 'ON_THRESHOLD', true, $3, 'too little', $2, $3, $3)`,
      [shop, admin.id, START],
    );
    await recordEvents(deps.db.em, [settlementSkippedRow(shop, START)]);
    await number();
    for (let round = 0; round < 2; round += 1) await run();
    const params = { company: expect.any(String), id: `stl_${shop}`, reason: 'too little' };
    expect(await mails()).toEqual(
      [admin, owner].map(({ email }) => ({ template: 'SETTLEMENT_SKIPPED', recipient: email, locale: 'en', params })),
    );
  });
});
