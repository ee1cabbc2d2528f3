// The paths of payout control, and of mails: the book, the policy, approvals, and the queue of what is to be sent.

import * as book from '../../../../src/database/queries/control/address-book.ts';
import { findLapsed, findWaiting, readBatchIds } from '../../../../src/database/queries/control/approvals.ts';
import { readUse } from '../../../../src/database/queries/control/daily-use.ts';
import * as erasures from '../../../../src/database/queries/customers/erase-customer.ts';
import * as customers from '../../../../src/database/queries/customers/lock-customer.ts';
import * as aged from '../../../../src/database/queries/customers/aged-customers.ts';
import * as repeated from '../../../../src/database/queries/customers/erasures.ts';
import * as policy from '../../../../src/database/queries/control/policy.ts';
import * as settlement from '../../../../src/database/queries/control/settlement-rules.ts';
import * as batches from '../../../../src/database/queries/payouts/batches.ts';
import * as toCustomers from '../../../../src/database/queries/mail/customer-mails.ts';
import * as cursor from '../../../../src/database/queries/mail/event-cursor.ts';
import { claimMails } from '../../../../src/database/queries/mail/claim-mails.ts';
import { endMails, recordMail } from '../../../../src/database/queries/mail/end-mails.ts';
import { readMailQueue } from '../../../../src/database/queries/mail/mail-queue.ts';
import { listPayouts } from '../../../../src/database/queries/payouts/list-payouts.ts';
import { BATCHED, idOf, keyOf, merchantOf } from './history.fixture.ts';
import { repeat, type Path, type World } from './world.fixture.ts';

const MERCHANT = merchantOf(0);
const PERSON = idOf('usr', 0);
const DAY_MS = 86_400_000;

async function keepBook({ db, now, commit }: World): Promise<void> {
  await book.readAddressBook(db.em, MERCHANT);
  await book.readBookedAddresses(db.em, MERCHANT, [idOf('adr', 400)]);
  await book.countAddresses(db.em, MERCHANT);
  await commit(async (em) => {
    await repeat(() => book.holdBookedAddresses(em, MERCHANT, [{ network: 'ETH', key: keyOf(400) }]));
    const address = { network: 'ETH', address: keyOf(9e9), addressKey: keyOf(9e9), label: '' } as const;
    await book.insertAddress(em, MERCHANT, { ...address, id: 'adr_new', createdAt: now, usableAt: now }, PERSON);
    await book.removeAddress(em, MERCHANT, 'adr_new', { at: now, by: PERSON });
  });
}

async function judge({ db, now, commit }: World): Promise<void> {
  await policy.readPolicyRow(db.em, MERCHANT);
  await policy.countApprovers(db.em, MERCHANT);
  const use = { merchantId: MERCHANT, currency: 'USDT', network: 'ETH', except: null } as const;
  await commit(async (em) => {
    await policy.holdPolicyRow(em, MERCHANT);
    await policy.hasSecondFactor(em, PERSON);
    await repeat(() => readUse(em, { ...use, since: new Date(now.getTime() - DAY_MS) }));
    const row = await policy.lockPolicyRow(em, MERCHANT);
    if (row) await policy.storePolicyRow(em, MERCHANT, row, { by: PERSON, at: now });
  });
}

async function findApprovals({ db, now }: World): Promise<void> {
  if ((await findWaiting(db.em, merchantOf(2))).length === 0) throw new Error('No payout waits for an approval');
  await findLapsed(db.em, now, 50);
  await repeat(() => readBatchIds(db.em, MERCHANT, [idOf('bat', BATCHED)]));
}

async function makeBatches({ db, now, commit, size }: World): Promise<void> {
  const batch = { id: 'bat_new', label: null, rows: 1, createdAt: now };
  await commit((em) => batches.insertBatch(em, MERCHANT, batch));
  await batches.findUsedIds(db.em, MERCHANT, [`wd-${size.orders}`, 'new']);
  const some = idOf('bat', BATCHED);
  if (!(await batches.readBatch(db.em, MERCHANT, some))) throw new Error('There is no batch');
  for (const before of [null, some]) await batches.listBatches(db.em, MERCHANT, { limit: 21, before });
  await repeat(() =>
    listPayouts(db.pool, { merchantId: MERCHANT, kind: 'WITHDRAWAL', batchId: some }, { limit: 21, before: null }),
  );
}

async function settleByRules({ db, now, commit, size }: World): Promise<void> {
  const time = { hour: 4, weekday: 1, day: 1, periods: ['2026-11-23', '2026-W48', '2026-11'] } as const;
  if ((await settlement.findDueByHour(db.em, time, '', 20)).length === 0) throw new Error('No rule is due');
  await settlement.findDueByThreshold(db.em, idOf('stl', 3), 20);
  await settlement.hasReference(db.em, MERCHANT, 'settle/stl/n1');
  const id = idOf('stl', 0);
  const [rule] = await settlement.readRules(db.em, MERCHANT);
  if (!rule || !(await settlement.readRule(db.em, id))) throw new Error('There is no rule');
  await commit(async (em) => {
    await settlement.lockRule(em, id);
    await settlement.recordRun(em, id, { period: '2026-11-23', payoutId: idOf('wdr', size.orders - size.waiting) });
    await settlement.recordSkip(em, id, { period: null, reason: 'little', at: now });
    await settlement.storeRule(em, rule, { by: PERSON, at: now });
    await settlement.removeRule(em, MERCHANT, idOf('stl', 4), now);
  });
}

async function relayMails({ db, commit }: World): Promise<void> {
  await cursor.createMailCursor(db.em);
  await repeat(() => cursor.hasEventsToMail(db.em));
  await commit(async (em) => {
    const position = await cursor.lockMailCursor(em);
    if (position === null) throw new Error('There is no place in the log');
    await cursor.readEventsToMail(em, '0', {
      types: ['withdrawal.requested'],
      customerTypes: ['payment.updated'],
      limit: 200,
    });
    await cursor.moveMailCursor(em, position);
  });
}

async function sendMails({ db, now, commit }: World): Promise<void> {
  await readMailQueue(db.em);
  const claim = { now, lease: 'lease', leasedUntil: new Date(now.getTime() + 60_000), limit: 20 };
  const mails = await commit((em) => claimMails(em, claim));
  if (mails.length === 0) throw new Error('No mail is due');
  for (const { id } of mails) await commit((em) => recordMail(em, { id, lease: 'lease' }, { status: 'SKIPPED' }, now));
  await commit((em) => endMails(em, 'SKIPPED', now, { limit: 20, except: ['RECEIPT'] }));
}

async function mailCustomers({ now, lastDone, commit }: World): Promise<void> {
  const order = idOf('ord', lastDone - (lastDone % 40) - 4);
  const mail = {
    id: 'eml_new',
    merchantId: MERCHANT,
    orderId: order,
    template: 'RECEIPT',
    recipient: 'ann@customer.example',
  };
  const judged = { digest: Buffer.alloc(32), most: 1_000, since: idOf('eml', 0), dedupe: `receipt/${order}` };
  await commit(async (em) => {
    await toCustomers.holdEvents(em, [idOf('evt', 0), idOf('evt', 1)]);
    await toCustomers.readOrderToMail(em, order);
    await toCustomers.readOrderOf(em, order);
    await toCustomers.insertCustomerMail(em, { ...mail, ...judged, locale: 'en', params: {}, now, dueAt: now });
    await toCustomers.insertUnsubscription(em, { merchantId: MERCHANT, digest: Buffer.alloc(32) }, now);
    if (!(await toCustomers.isUnsubscribed(em, MERCHANT, Buffer.alloc(32)))) throw new Error('It was not kept');
  });
}

async function eraseCustomer({ now, lastDone, commit }: World): Promise<void> {
  const email = 'ann@customer.example';
  const n = lastDone - (lastDone % 40) - 4;
  const orders = { paymentIds: [idOf('ord', n)], invoiceIds: [idOf('inv', n)] };
  await commit(async (em) => {
    await customers.findCustomerOrders(em, { merchantId: MERCHANT, email, until: null });
    await customers.findQuoted(em, orders.invoiceIds);
    await customers.lockOrders(em, orders);
    await customers.findOpenRefunds(em, orders.paymentIds);
    const ids = (await customers.lockOrderEvents(em, orders)).map(({ id }) => id);
    if (ids.length === 0) throw new Error('The order has no events');
    await customers.findWaitingWebhooks(em, ids);
    await customers.lockOrderMails(em, orders.paymentIds);
    await erasures.eraseFromOrders(em, orders.paymentIds, orders.invoiceIds);
    await erasures.eraseFromEvents(em, ids);
    await erasures.eraseFromMails(em, [idOf('eml', n)]);
    const counts = { payments: 1, events: 2, mails: 1 };
    const erasure = { id: 'ers_new', merchantId: MERCHANT, digest: Buffer.alloc(32), ...counts, at: now };
    await erasures.insertErasure(em, erasure);
  });
}

async function eraseByAge({ db, lastDone }: World): Promise<void> {
  const merchant = await aged.nextKeepingMerchant(db.em, '', 365);
  if (!merchant) throw new Error('There is no merchant');
  await aged.nextKeepingMerchant(db.em, MERCHANT, null);
  const asked = { merchantId: MERCHANT, after: '', limit: 50 };
  await aged.findAgedPayments(db.em, { ...asked, before: idOf('ord', lastDone) });
  await aged.findAgedInvoices(db.em, { ...asked, before: idOf('inv', lastDone) });
  await repeated.readErasures(db.em, '', 20);
  await repeated.readNamedAddresses(db.em, MERCHANT, { after: '', limit: 20 });
}

export const CONTROL_PATHS: readonly Path[] = [
  { name: 'the book of addresses is kept', run: keepBook },
  { name: 'a payout is judged by the policy', run: judge },
  { name: 'approvals are listed, and those whose time is over', run: findApprovals },
  { name: 'batches are made and listed', run: makeBatches },
  { name: 'rules of settlement are found, run and kept', run: settleByRules },
  { name: 'events are turned into mails', run: relayMails },
  { name: 'customers are mailed, or want none', run: mailCustomers },
  { name: 'mails are sent', run: sendMails },
  { name: 'a customer is erased', run: eraseCustomer },
  { name: 'customers are erased by age, and again', run: eraseByAge },
];
