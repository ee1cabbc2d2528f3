// Mails to customers: what they are told of, once each, to whom, how many, and what is read again before one is sent.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { endMailsTo } from '../../src/domain/mail/unsubscriptions.ts';
import { recordEvents, payoutEventRow } from '../../src/domain/events/record.ts';
import type { PayoutSnapshot } from '../../src/domain/snapshots/payout.ts';
import { createMailer } from '../../src/mailer/send-mails.ts';
import { createSmtp } from '../../src/mailer/smtp.ts';
import { createMailRelay } from '../../src/mailer/relay-mails.ts';
import { unsubscribeToken } from '../../src/values/secrets/unsubscribe-tokens.ts';
import type { Deps } from '../../src/domain/deps.ts';
import {
  createSetup,
  minutesLater,
  openChain,
  pay,
  START,
  type DataChain,
  type Order,
  type Setup,
} from '../domain/book.fixture.ts';
import { KEYS, MAILING, mailSteps, newShop, SETTINGS } from './customer-mails.fixture.ts';
import { closeMailServers, startMailServer } from './mail-server.fixture.ts';

const CUSTOMER = 'Ann@Customer.example';
const UNIT = 1_000_000n;

let setup: Setup;
let deps: Deps;
let chain: DataChain;
let shop: string;
let steps: ReturnType<typeof mailSteps>;

beforeAll(async () => {
  setup = await createSetup();
  deps = { ...setup.deps, sendsMail: true };
  steps = mailSteps(setup, deps);
});
afterAll(async () => {
  await closeMailServers();
  await setup.stop();
});
beforeEach(async () => {
  setup.setNow(START);
  await setup.sql('delete from mail');
  // Orders of other tests are on the same chain.
  await setup.sql(`update merchant set customer_mails = '{}'`);
  chain = await openChain(setup);
  shop = await newShop(setup);
  await steps.relay();
});

const orderOf = (merchant = shop, columns: object = {}) =>
  setup.order(merchant, { amount: '100000000', customer_email: CUSTOMER, product_name: 'Assam', ...columns });
/** Pays an order, and has it confirmed. */
async function paid(order: Order, units: bigint): Promise<void> {
  await chain.mine(pay(order, units * UNIT));
  await chain.mineEmpty(2);
}
const told = async () => (await steps.mails()).map(({ template, status }) => `${template} ${status}`);

describe('a receipt', () => {
  it('goes to the customer of a payment, in the language of the shop, once', async () => {
    await setup.sql(`update merchant set locale = 'de' where id = $1`, [shop]);
    const order = await orderOf();
    await paid(order, 100n);
    await Promise.all([steps.relay(), createMailRelay(deps, MAILING).processNext()]);
    await steps.relay();
    expect(await steps.mails()).toEqual([
      {
        ...{ template: 'RECEIPT', recipient: 'ann@customer.example', locale: 'de', status: 'QUEUED', due: 0 },
        params: {
          ...{ company: 'Blue Kettle', order: order.id, about: 'Assam', amount: '100 USDT (ETH)' },
          support: 'help@shop.example',
        },
      },
    ]);
  });

  it('is not sent again when the money leaves the chain and comes back, or when more comes', async () => {
    const order = await orderOf();
    const transfer = pay(order, 100n * UNIT);
    await chain.mine(transfer);
    await chain.mineEmpty(2);
    await chain.rollBack(3);
    await chain.mine(transfer);
    await chain.mineEmpty(2);
    await paid(order, 5n);
    await steps.relay();
    expect(await told()).toEqual(['RECEIPT QUEUED']);
  });

  it.each([
    ['nobody is named', { customer_email: null }, {}],
    ['no owner has a verified address', {}, { isVerified: false }],
    ['the merchant did not choose it', {}, { mails: '{REFUND}' }],
    ['the merchant chose nothing', {}, { mails: '{}' }],
  ])('is not written where %s', async (_, columns, look) => {
    const order = await orderOf(await newShop(setup, look), columns);
    await paid(order, 100n);
    await steps.relay();
    expect(await steps.mails()).toEqual([]);
  });

  it('is not written for a merchant who is suspended', async () => {
    await setup.sql(
      `update merchant set suspended_at = now(), suspend_reason = 'x', suspend_freeze = 'x' where id = $1`,
      [shop],
    );
    await paid(await orderOf(), 100n);
    await steps.relay();
    expect(await steps.mails()).toEqual([]);
  });
});

describe('too little money', () => {
  it('is told two minutes later, with the exact rest, as it is then', async () => {
    const order = await orderOf();
    await chain.mine(pay(order, 50n * UNIT));
    await steps.relay();
    expect(await steps.mails()).toMatchObject([{ template: 'UNDERPAID', status: 'QUEUED', due: 2 }]);
    setup.setNow(new Date(START.getTime() + 119_000));
    await steps.show();
    expect(await told()).toEqual(['UNDERPAID QUEUED']);
    await chain.mine(pay(order, 10_000_001n));
    setup.setNow(minutesLater(2));
    await steps.show();
    expect(await steps.mails()).toMatchObject([
      { status: 'SENT', params: { amount: '60.000001 USDT (ETH)', rest: '39.999999 USDT (ETH)' } },
    ]);
    await chain.mine(pay(order, UNIT));
    await steps.relay();
    expect(await told()).toEqual(['UNDERPAID SENT']);
  });

  it('is not told once the rest has come', async () => {
    const order = await orderOf();
    await chain.mine(pay(order, 60n * UNIT));
    await steps.relay();
    await paid(order, 40n);
    await steps.relay();
    setup.setNow(minutesLater(3));
    await steps.show();
    expect(await told()).toEqual(['RECEIPT SENT', 'UNDERPAID SKIPPED']);
  });

  it('whose time is over is told with whom to write to', async () => {
    const order = await orderOf();
    await paid(order, 60n);
    await steps.relay();
    setup.setNow(minutesLater(40));
    await chain.mineAt(minutesLater(40));
    await chain.timeOut(minutesLater(40));
    expect((await setup.read(order)).status).toBe('FAILED');
    await steps.relay();
    await steps.show();
    expect(await steps.mails()).toMatchObject([
      {
        template: 'UNDERPAID_ENDED',
        status: 'SENT',
        params: { amount: '60 USDT (ETH)', support: 'help@shop.example' },
      },
    ]);
  });

  it('is read again at each attempt: nobody is asked for what has come meanwhile', async () => {
    const server = await startMailServer();
    server.behave(451);
    const order = await orderOf();
    await chain.mine(pay(order, 60n * UNIT));
    await steps.relay();
    const smtp = createSmtp({
      ...{ host: '127.0.0.1', port: server.port, isTls: false, login: null, requireTls: false },
      ...{ ownHost: 'pay.kettle.example', from: { name: '', address: 'no-reply@kettle.example' } },
    });
    const results: string[] = [];
    const mailer = createMailer(deps, { smtp, settings: SETTINGS, onAttempt: (result) => void results.push(result) });
    setup.setNow(minutesLater(2));
    await mailer.processNext();
    await chain.mine(pay(order, 30n * UNIT));
    server.behave('take');
    setup.setNow(minutesLater(4));
    await mailer.processNext();
    expect(results).toEqual(['retry', 'sent']);
    const [{ source, to } = { source: '', to: [] }] = server.received;
    expect(to).toEqual(['ann@customer.example']);
    const headers = source.replaceAll(/\r\n[ \t]+/g, ' ');
    const token = unsubscribeToken(KEYS, shop, CUSTOMER);
    expect(headers).toMatch(/^Subject: Blue Kettle: 10 USDT \(ETH\) is still due\r$/m);
    expect(headers).toMatch(/^Reply-To: help@shop\.example\r$/m);
    expect(headers).toContain(`List-Unsubscribe: <https://pay.kettle.example/mail/unsubscribe/${token}>\r\n`);
    expect(headers).toContain('List-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n');
    await paid(order, 10n);
    await steps.relay();
    setup.setNow(minutesLater(5));
    await mailer.processNext();
    expect((await told()).sort()).toEqual(['RECEIPT SENT', 'UNDERPAID SENT']);
  });
});

describe('a refund', () => {
  it('is told once it was sent, each of them', async () => {
    const order = await orderOf();
    await paid(order, 100n);
    const refund = { paymentId: order.id, status: 'COMPLETED', amount: '20', networkFee: '1', currency: 'USDT' };
    for (const id of ['rfd_1', 'rfd_2', 'rfd_2']) {
      const payout = { id, ...refund, network: 'ETH', address: '0x5290' } as unknown as PayoutSnapshot;
      const event = { type: 'refund.completed', merchantId: shop, version: 1, payout, at: START } as const;
      await recordEvents(deps.db.em, [payoutEventRow('sandbox', event)]);
    }
    await steps.relay();
    const refunds = (await steps.mails()).filter(({ template }) => template === 'REFUND_SENT');
    expect(refunds).toHaveLength(2);
    expect(refunds[0]?.params).toMatchObject({ amount: '20 USDT (ETH)', address: '0x5290', order: order.id });
  });
});

describe('the mails of a merchant', () => {
  it('are so many in 24 hours, and the rest is skipped', async () => {
    const other = await newShop(setup);
    const orders = [await orderOf(), await orderOf(), await orderOf()];
    for (const order of [...orders, await orderOf(other)]) await chain.mine(pay(order, 100n * UNIT));
    await chain.mineEmpty(2);
    const limited = { ...MAILING, perDay: 2 };
    await steps.relay(limited);
    expect((await told()).sort()).toEqual([
      ...['RECEIPT QUEUED', 'RECEIPT QUEUED', 'RECEIPT QUEUED'],
      'RECEIPT SKIPPED',
    ]);
    setup.setNow(minutesLater(24 * 60 - 1));
    await paid(await orderOf(), 100n);
    await steps.relay(limited);
    expect((await told()).at(-1)).toBe('RECEIPT SKIPPED');
    setup.setNow(minutesLater(24 * 60 + 1));
    await paid(await orderOf(), 100n);
    await steps.relay(limited);
    expect((await told()).at(-1)).toBe('RECEIPT QUEUED');
  });

  it('are skipped for somebody who wants none, even one that waits; other merchants send theirs', async () => {
    await paid(await orderOf(), 100n);
    await steps.relay();
    const stop = { ...deps, secrets: KEYS };
    expect(await endMailsTo(stop, unsubscribeToken(KEYS, shop, CUSTOMER))).toMatchObject({
      companyName: 'Blue Kettle',
    });
    await endMailsTo(stop, unsubscribeToken(KEYS, shop, CUSTOMER.toLowerCase()));
    await steps.show();
    await paid(await orderOf(), 100n);
    await steps.relay();
    await paid(await orderOf(await newShop(setup)), 100n);
    await steps.relay();
    expect(await told()).toEqual(['RECEIPT QUEUED', 'RECEIPT SKIPPED', 'RECEIPT SKIPPED']);
    const kept = await setup.sql<{ text: string }>('select u::text as text from unsubscription u');
    expect(kept).toHaveLength(1);
    expect(kept[0]?.text).not.toContain('customer.example');
    expect(
      await endMailsTo(stop, unsubscribeToken({ ...KEYS, linkKey: Buffer.alloc(32, 9) }, shop, CUSTOMER)),
    ).toBeNull();
  });
});
