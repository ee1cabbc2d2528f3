// The paths of merchants' calls: creating, reading and listing.

import { findAnswer, storeAnswer, takeKey } from '../../../../src/domain/idempotency.ts';
import {
  acceptInvoice,
  cancelInvoice,
  expireInvoice,
  expireQuote,
} from '../../../../src/domain/invoices/end-invoice.ts';
import { findLinks, getLink } from '../../../../src/domain/links/read-links.ts';
import { search } from '../../../../src/domain/search/search.ts';
import { readBalances } from '../../../../src/domain/ledger/ledger.ts';
import { lockAvailable, reservePayouts } from '../../../../src/domain/ledger/payout-entries.ts';
import { cancelPayment, expireNow, getPayment } from '../../../../src/domain/payments/read-and-cancel.ts';
import { failPayout } from '../../../../src/domain/payouts/lifecycle.ts';
import { resendEvent } from '../../../../src/domain/webhooks/resend.ts';
import * as pool from '../../../../src/database/queries/chain/address-pool.ts';
import * as ranges from '../../../../src/database/queries/chain/address-ranges.ts';
import { isIssued } from '../../../../src/database/queries/chain/issued-addresses.ts';
import { listEvents } from '../../../../src/database/queries/events/list-events.ts';
import { isAheadOfRelay, isAnyUnnumbered, readUnnumbered } from '../../../../src/database/queries/events/outbox-lag.ts';
import { readEventTypes } from '../../../../src/database/queries/events/read-event-types.ts';
import { listApiLog, searchApiLog } from '../../../../src/database/queries/list-api-log.ts';
import { readPayersInvoice } from '../../../../src/database/queries/invoices/choice.ts';
import { countUnpaidChoices } from '../../../../src/database/queries/invoices/count-choices.ts';
import {
  readInvoiceOf,
  readInvoicePage,
  readPagePayments,
} from '../../../../src/database/queries/invoices/invoice-page.ts';
import { insertInvoices } from '../../../../src/database/queries/invoices/insert-invoices.ts';
import { insertQuotes } from '../../../../src/database/queries/invoices/insert-quotes.ts';
import { listInvoices, type InvoiceListFilter } from '../../../../src/database/queries/invoices/list-invoices.ts';
import { lockUnsettled } from '../../../../src/database/queries/invoices/lock-invoices.ts';
import { readInvoice } from '../../../../src/database/queries/invoices/read-invoices.ts';
import { countNewest, countPayments } from '../../../../src/database/queries/payments/count-payments.ts';
import { insertPayments } from '../../../../src/database/queries/payments/insert-payments.ts';
import { listPayments, type PaymentListFilter } from '../../../../src/database/queries/payments/list-payments.ts';
import { listPayouts } from '../../../../src/database/queries/payouts/list-payouts.ts';
import { listMovements } from '../../../../src/database/queries/ledger/list-movements.ts';
import { listReceipts } from '../../../../src/database/queries/ledger/list-receipts.ts';
import { readLinkPage } from '../../../../src/database/queries/links/link-page.ts';
import { isLinkOpen } from '../../../../src/database/queries/links/open-links.ts';
import { moveUses } from '../../../../src/database/queries/links/move-uses.ts';
import { findWallets } from '../../../../src/database/queries/payouts/nonces.ts';
import { isFrozen, isPayoutAssetOff } from '../../../../src/database/queries/payouts/obstacles.ts';
import {
  deliveryWalkOf,
  listDeliveries,
  searchDeliveries,
} from '../../../../src/database/queries/webhooks/list-deliveries.ts';
import { readAttempts, readDeliveries } from '../../../../src/database/queries/webhooks/read-deliveries.ts';
import { readEndpointHours } from '../../../../src/database/queries/webhooks/endpoint-hours.ts';
import { readSentAttempts } from '../../../../src/database/queries/webhooks/sent-attempts.ts';
import { readRows } from '../../../../src/database/rows.ts';
import { Invoice } from '../../../../src/entities/invoice.ts';
import { Payment } from '../../../../src/entities/payment.ts';
import { Quote } from '../../../../src/entities/quote.ts';
import { createInvoiceExpiry } from '../../../../src/observe/expire-invoices.ts';
import { assetOf } from '../../../../src/values/assets.ts';
import { GatewayError } from '../../../../src/values/errors.ts';
import { orderRow } from '../../../domain/book.fixture.ts';
import { endpointOf, HOT, idOf, keyOf, merchantOf } from './history.fixture.ts';
import { repeat, type Path, type World } from './world.fixture.ts';

const USDT = { currency: 'USDT', network: 'ETH' };
const MERCHANT = merchantOf(0);
/** A page and one more. */
const PAGE = 21;

/** An order on ETH of the merchant that is done with, and one that waits. */
const doneOrder = ({ lastDone }: World) => idOf('ord', lastDone - (lastDone % 4) - 40);
/** An invoice that waits, with an order on ETH of its own, and one that is done with. */
const waitingInvoice = ({ last }: World, nth = 1) => last - (last % 8) - 8 * nth + 4;
const doneInvoice = ({ lastDone }: World) => idOf('inv', lastDone - (lastDone % 8) - 36);
const waitingOrder = ({ last }: World) => idOf('ord', last - (last % 4) - 8, true);

async function createOrders({ db, commit }: World): Promise<void> {
  const given = await commit(async (em) => {
    await pool.takeAddresses(em, 'sol', 5);
    return (await ranges.takeRange(em, 'evm', 10))?.given;
  });
  if (!given) throw new Error('No addresses were given out');
  await repeat(async (nth) => {
    const rows = Array.from({ length: 5 }, (_, each) =>
      orderRow(MERCHANT, {
        given,
        once_key: `order-${nth}-${each}`,
        once_digest: '00',
        event_id: idOf('evt', 9e9 + nth * 10 + each, true),
      }),
    );
    await insertPayments(db.pool, rows);
    await insertPayments(db.pool, rows);
    const foreign = rows.map((row) => ({ ...row, given: { epoch: '', serverRun: '' }, once_key: null }));
    await insertPayments(db.pool, foreign);
  });
}

async function answerOnce({ commit, now }: World): Promise<void> {
  const key = { scope: MERCHANT, operation: 'withdraw', key: 'new', inputDigest: Buffer.from('00', 'hex') };
  await commit(async (em) => {
    await takeKey(em, key);
    await storeAnswer(em, key, { is: 'here' }, now);
    await findAnswer(em, key);
  });
}

async function listOrders({ db, now, ...world }: World): Promise<void> {
  const day = { from: new Date(now.getTime() - 86_400_000), until: now };
  const filters: readonly Partial<PaymentListFilter>[] = [
    {},
    day,
    { before: doneOrder({ db, now, ...world }) },
    { statuses: ['PENDING'] },
    { statuses: ['REFUNDED'], ...day },
    { currency: 'USDT', network: 'ETH' },
    { merchantOrderId: 'ref-8' },
    { merchantOrderId: 'ref-8', statuses: ['SUCCEEDED'] },
    { invoiceId: doneInvoice({ db, now, ...world }), statuses: ['SUCCEEDED'] },
    { needsAttention: true },
    { needsAttention: true, ...day, statuses: ['FAILED'] },
  ];
  for (const filter of filters) await repeat(() => listPayments(db.pool, { merchantId: MERCHANT, ...filter }, PAGE));
}

async function listAllInvoices(world: World): Promise<void> {
  const { db, now } = world;
  const none = { statuses: null, currency: null, merchantInvoiceId: null, linkId: null, needsAttention: false };
  const any = { ...none, merchantId: MERCHANT, from: null, until: null, before: null };
  const day = { from: new Date(now.getTime() - 86_400_000), until: now };
  const filters: readonly Partial<InvoiceListFilter>[] = [
    {},
    day,
    { before: doneInvoice(world) },
    { statuses: ['OPEN'] },
    { statuses: ['REFUNDED'], ...day },
    { currency: 'EUR' },
    { currency: 'JPY', statuses: ['SETTLED'] },
    { merchantInvoiceId: 'ref-8' },
    { linkId: 'lnk_20' },
    { linkId: 'lnk_20', statuses: ['OPEN'] },
    { needsAttention: true, ...day },
  ];
  for (const filter of filters) await repeat(() => listInvoices(db.pool, { ...any, ...filter }, PAGE));
}

async function searchAll({ db, deps, ...world }: World): Promise<void> {
  const range = { from: null, until: null };
  await repeat(() => countPayments(db.pool, MERCHANT, range));
  await repeat(() => countNewest(db.pool, MERCHANT, range));
  const order = doneOrder({ db, deps, ...world });
  const known = [
    'ref-8',
    'ann@',
    'tea',
    order.slice(0, -6),
    'wdr_0',
    'rfd_0',
    `0x${'5290'.repeat(10)}`,
    'f'.repeat(64),
  ];
  const asked = { merchantId: MERCHANT, kinds: { orders: true, payouts: true }, limit: 10 };
  for (const text of known) await repeat(() => search(deps, { ...asked, text }));
}

async function changeInvoices(world: World): Promise<void> {
  const { deps, db, commit } = world;
  await readInvoice(db.em, doneInvoice(world), MERCHANT);
  const [one, other] = [waitingInvoice(world), waitingInvoice(world, 2)];
  await ifAllowed(() => cancelInvoice(deps, MERCHANT, idOf('inv', one, true)));
  await ifAllowed(() => acceptInvoice(deps, MERCHANT, idOf('inv', one, true)));
  await expireQuote(deps, MERCHANT, idOf('ord', other, true));
  await expireInvoice(deps, MERCHANT, idOf('inv', other, true));
  await commit(async (em) => {
    await lockUnsettled(em, idOf('inv', one, true));
    await ranges.isStillGiven(em, { epoch: '', serverRun: '' });
  });
  const expiry = createInvoiceExpiry(deps);
  while (await expiry.processNext());
}

/** Invoices and quotes as new as can be, each like one that there is. */
async function insertInvoicesAndQuotes(world: World): Promise<void> {
  const { db, commit, now } = world;
  const given = await commit(async (em) => (await ranges.takeRange(em, 'evm', 10))?.given);
  const id = idOf('inv', waitingInvoice(world, 4), true);
  const [invoice] = await readRows(db.em, Invoice, 'where id = $1', [id]);
  const [quote] = await readRows(db.em, Quote, 'where invoice_id = $1', [id]);
  const [payment] = await readRows(db.em, Payment, 'where id = $1', [quote?.paymentId]);
  if (!invoice || !quote || !payment || !given) throw new Error('There is no invoice to take after');
  await repeat(async (nth) => {
    const fresh = Array.from({ length: 5 }, (_, each) => {
      const number = 8e9 + nth * 10 + each;
      const one = { ...invoice, id: idOf('inv', number, true), merchantInvoiceId: `new-${String(number)}`, version: 1 };
      const about = {
        merchantId: MERCHANT,
        version: 1,
        payload: '{}',
        body: null,
        targetUrl: null,
        at: now,
        trace: null,
      };
      const event = {
        ...about,
        id: idOf('evt', number, true),
        type: 'invoice.created',
        paymentId: null,
        invoiceId: one.id,
      };
      const key = { scope: MERCHANT, operation: 'createInvoice', key: one.id, lock: one.id, result: '{}' };
      const address = { address: one.id, addressKey: one.id, derivationIndex: String(1e9 + nth * 10 + each) };
      const order = { ...payment, ...address, id: idOf('ord', number, true), invoiceId: one.id };
      return {
        ...{ invoice: one, event, once: { ...key, inputDigest: Buffer.from('00', 'hex') } },
        ...{ invoiceId: one.id, judged: 1, expiresAt: one.expiresAt, version: 2 },
        ...{ deadline: one.deadline, updatedAt: now, payment: order, given },
        ...{ quote: { ...quote, paymentId: order.id, invoiceId: one.id } },
        events: [
          {
            ...event,
            id: idOf('evt', 5e8 + number, true),
            type: 'payment.created',
            paymentId: order.id,
            invoiceId: null,
          },
        ],
      };
    });
    for (let time = 0; time < 2; time += 1) {
      await insertInvoices(db, fresh);
      await insertQuotes(db, fresh);
    }
  });
}

async function showInvoices(world: World): Promise<void> {
  const { db, now } = world;
  const [waiting, order] = [idOf('inv', waitingInvoice(world, 3), true), idOf('ord', waitingInvoice(world, 3), true)];
  for (const invoiceId of [waiting, doneInvoice(world)]) {
    await readInvoicePage(db.em, invoiceId);
    await readPayersInvoice(db.em, invoiceId, { currency: 'USDT', network: 'ETH' }, now);
  }
  await readPagePayments(db.em, [order, doneOrder(world)]);
  await readInvoiceOf(db.em)(order);
  await countUnpaidChoices(db.em, MERCHANT, 5_000);
}

async function listAllReceipts(world: World): Promise<void> {
  const { db, now } = world;
  const any = { merchantId: MERCHANT, paymentId: null, invoiceId: null, from: null, until: null, before: null };
  const day = { from: new Date(now.getTime() - 86_400_000), until: now };
  const [paymentId, invoiceId] = [doneOrder(world), doneInvoice(world)];
  for (const filter of [{}, day, { paymentId }, { invoiceId }, { paymentId, invoiceId }])
    await repeat(() => listReceipts(db.pool, { ...any, ...filter }, PAGE));
}

async function listMovementPages({ db, now, last }: World): Promise<void> {
  const any = { merchantId: MERCHANT, from: null, until: null, currency: null, network: null };
  const day = { from: new Date(now.getTime() - 86_400_000), until: now };
  const middle = idOf('ltx', last / 2 - ((last / 2) % 4));
  for (const filter of [{}, day, { currency: 'USDT', network: 'ETH' }])
    for (const oldestFirst of [false, true])
      for (const at of [null, middle])
        await repeat(() => listMovements(db.pool, { ...any, ...filter }, { oldestFirst, at, limit: PAGE }));
}

async function useLinks({ deps, db, commit, now }: World): Promise<void> {
  const link = idOf('lnk', 4);
  await isLinkOpen(db.em, link, now);
  await readLinkPage(db.em, link, now);
  await getLink(deps, MERCHANT, link);
  await findLinks(deps, MERCHANT, { limit: 20, before: null });
  await commit((em) => moveUses(em, new Map([link, idOf('lnk', 8)].map((id) => [id, 1]))));
}

async function listOthers(world: World): Promise<void> {
  const { db, now, lastDone } = world;
  const [eventId, paymentId] = [idOf('evt', 2 * (lastDone - (lastDone % 4)) + 1), doneOrder(world)];
  await repeat(() => listEvents(db.pool, MERCHANT, 100, PAGE));
  await repeat(() => readEventTypes(db.pool, [eventId]));
  await repeat(() => listDeliveries(db.pool, { merchantId: MERCHANT }, PAGE));
  await repeat(() => listDeliveries(db.pool, { merchantId: MERCHANT, statuses: ['FAILED'] }, PAGE));
  await repeat(() => listDeliveries(db.pool, { merchantId: MERCHANT, eventId }, PAGE));
  await repeat(() => listDeliveries(db.pool, { merchantId: MERCHANT, paymentId }, PAGE));
  await repeat(() => listPayouts(db.pool, { merchantId: MERCHANT, kind: 'WITHDRAWAL' }, { limit: PAGE, before: null }));
  const refunds = { merchantId: MERCHANT, kind: 'REFUND', paymentId } as const;
  await repeat(() => listPayouts(db.pool, refunds, { limit: PAGE, before: null }));
  const period = { merchantId: MERCHANT, from: new Date(now.getTime() - 3_600_000), until: now, before: null };
  await repeat(() => listApiLog(db.pool, period, PAGE));
  await searchLists(world);
}

/** Of a time that has as much in each history: a walk goes further back in a longer one, up to its bound. */
async function searchLists({ db, now }: World): Promise<void> {
  const since = new Date(now.getTime() - 300_000);
  const sought = { merchantId: MERCHANT, from: since, until: now, before: null };
  const nothing = { keyId: null, method: null, statusClass: null, path: null, errorCode: null, source: null };
  for (const narrowed of [{ keyId: 'pk_test_none' }, { method: 'GET' }, { path: '/none' }, { errorCode: '2004' }])
    await repeat(() => searchApiLog(db.pool, { ...sought, ...nothing, ...narrowed }, PAGE));
  const own = { merchantId: MERCHANT, since };
  for (const narrowed of [
    { endpointId: endpointOf(0) },
    { endpointId: endpointOf(8) },
    { eventType: 'payment.failed' },
  ]) {
    await repeat(() => searchDeliveries(db.pool, { ...own, ...narrowed }, PAGE));
    await repeat(() => db.pool.query(deliveryWalkOf({ ...own, ...narrowed }, PAGE, 'far')));
  }
  await repeat(() => readEndpointHours(db.pool, MERCHANT, since));
  await repeat(() => readSentAttempts(db.pool, [idOf('dlv', 4), idOf('dlv', 8)]));
}

async function readOne(world: World): Promise<void> {
  const { db, deps, lastDone } = world;
  const eventId = idOf('evt', 2 * (lastDone - (lastDone % 4)) + 1);
  await getPayment(deps, MERCHANT, doneOrder(world));
  await readDeliveries(db.em, MERCHANT, eventId);
  await readAttempts(db.em, [idOf('dlv', 4), idOf('dlv', 8)]);
  await readBalances(db.em, MERCHANT);
  const ids = await readUnnumbered(db.pool, MERCHANT);
  await isAnyUnnumbered(db.pool, ids.slice(0, 20));
  await isAheadOfRelay(db.pool, MERCHANT, eventId);
  await isIssued(db.em, 'evm', keyOf(40));
  await isIssued(db.em, 'sol', keyOf(40));
}

async function requestPayout({ deps, commit, now }: World): Promise<void> {
  const figures = { id: 'wdr_new', merchantId: MERCHANT, paymentId: null, ...USDT, amount: 10n, networkFee: 0n };
  await commit(async (em) => {
    await findWallets(em, [HOT]);
    await lockAvailable(em, MERCHANT, assetOf(USDT));
    await isFrozen(em, { ...USDT, id: null, merchantId: MERCHANT });
    await isPayoutAssetOff(em, USDT);
    await reservePayouts(deps, em, [figures], now);
  });
}

async function changeOrders(world: World): Promise<void> {
  const { deps, last, lastDone } = world;
  await ifAllowed(() => cancelPayment(deps, MERCHANT, waitingOrder(world)));
  await expireNow(deps, MERCHANT, waitingOrder(world));
  await resendEvent(deps, MERCHANT, idOf('evt', 2 * (lastDone - (lastDone % 4)) + 1), null);
  // A refund on ETH that is REQUESTED.
  const refund = last - ((last - 5) % 20);
  await world.commit((em) => failPayout(deps, em, idOf('wdr', refund, true), 'its recipient refuses it'));
}

/** What the paths read to refuse something counts, too. */
async function ifAllowed(work: () => Promise<unknown>): Promise<void> {
  await work().catch((error: unknown) => {
    if (!(error instanceof GatewayError)) throw error;
  });
}

export const MERCHANT_PATHS: readonly Path[] = [
  { name: 'invoices are created, and coins are chosen for them', run: insertInvoicesAndQuotes },
  { name: 'orders are created', run: createOrders },
  { name: 'an answer is kept once', run: answerOnce },
  { name: 'orders are listed', run: listOrders },
  { name: 'events, deliveries, payouts and calls are listed', run: listOthers },
  { name: 'one thing is read', run: readOne },
  { name: 'a payout is requested', run: requestPayout },
  { name: 'orders and payouts are changed', run: changeOrders },
  { name: 'invoices are listed', run: listAllInvoices },
  { name: 'orders, invoices and payouts are searched, and counted', run: searchAll },
  { name: 'invoices are read and changed', run: changeInvoices },
  { name: 'invoices are shown, and coins chosen', run: showInvoices },
  { name: 'receipts are listed', run: listAllReceipts },
  { name: 'movements are listed', run: listMovementPages },
  { name: 'payment links are shown and used', run: useLinks },
];
