// Tests the rules that judge chaos runs: each finds a fault that is planted in the evidence of a correct run.

import { createHash, createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { Taken } from '../../../chaos/receiver/log.ts';
import type {
  AttemptRow,
  Evidence,
  EventRow,
  InvoiceRow,
  PaymentRow,
  Told,
} from '../../../chaos/invariants/evidence.ts';
import { createNotes, type Shop } from '../../../chaos/load/client-log.ts';
import { first } from '../../../chaos/invariants/invariant.ts';
import type { Data as Json } from '../../../chaos/load/client.ts';
import type { Outage } from '../../../chaos/processes/kill-targets.ts';
import { INVARIANTS } from '../../../chaos/invariants/all.ts';
import { invoiceEvidence, noteInvoice } from './invoice-run.fixture.ts';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const BODY = '{"id":"evt_3","type":"payment.succeeded"}';
const START = Date.UTC(2026, 0, 1);
const URL = 'http://127.0.0.1:1/mixed/own';
const [ANSWERED, LATER] = [{ status: 500, delayMs: 0, retryAfter: null }, 1_600];

const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text);
const digestOf = (body: string) => createHash('sha256').update(body).digest('hex');

/** A request as the gateway signs it. */
function taken(attempt: number, at: number, status: number | null): Taken {
  const timestamp = String(Math.floor(at / 1_000));
  const key = Buffer.alloc(32, 7);
  const own = hmac(SECRET, `${timestamp}.${BODY}`).digest('hex');
  const standard = `v1,${hmac(key, `evt_3.${timestamp}.${BODY}`).digest('base64')}`;
  return {
    ...{ at: at + 5, path: '/mixed/own', eventId: 'evt_3', deliveryId: 'dlv_1', attempt, timestamp },
    ...{ signature: `t=${timestamp}, v1=${own}`, digest: digestOf(BODY), answer: { ...ANSWERED, status } },
    standard: { id: 'evt_3', timestamp, signature: standard },
  };
}

function attempt(number: number, at: number, responseCode: number | null): AttemptRow {
  return { deliveryId: 'dlv_1', attempt: number, at, responseCode, responseTimeMs: 10, error: null };
}

/** A run with one payment, whose webhook was accepted at the second attempt, one withdrawal, and one invoice. */
function rightRun() {
  const shop: Shop = {
    ...{ merchantId: 'mer_1', token: '', webhookSecret: SECRET, endpoints: [URL] },
    ...{ eventsRead: new Map([[1, 'evt_1']]), publicEvents: [] },
  };
  const notes = createNotes();
  notes.shops.push(shop);
  const order = { shop, reference: 'cart-1', callbackUrl: null, currency: 'ETH', amount: '1.5' };
  notes.orders.push({ ...order, orderId: 'ord_1' });
  notes.deposits.push({ orderId: 'ord_1', currency: 'ETH', amount: '1.5', answered: true });
  noteInvoice(notes);
  const payout = { shop, kind: 'withdrawal' as const, address: '0x1', currency: 'USDT', amount: '0.7' };
  notes.payouts.push({ ...payout, orderId: null, merchantWithdrawalId: null, id: 'wdr_1', refused: null });
  const amounts = {
    exception: null,
    amountReceived: '1.5',
    amountConfirmed: '1.5',
    amountRefunded: '0',
    feeAmount: '0',
  };
  const payment = (status: string) => ({ orderId: 'ord_1', status, ...amounts });
  const event = (n: number, type: string, status: string) => {
    return { sequence: n, id: `evt_${n}`, type, payment: payment(status) };
  };
  const events = [event(1, 'payment.created', 'PENDING'), event(2, 'payment.updated', 'CONFIRMING')];
  events.push(event(3, 'payment.succeeded', 'SUCCEEDED'));
  const transactions = [{ amount: '1.5', status: 'CONFIRMED' }];
  const one: Told = {
    ...{ events, payments: new Map([['ord_1', { ...payment('SUCCEEDED'), transactions }]]), invoices: new Map() },
  };
  const rows = events.map(({ id, type }, index): EventRow => {
    const about = { merchantId: 'mer_1', paymentId: 'ord_1', invoiceId: null, payoutId: null };
    return { ...about, id, version: index + 1, type, body: index === 2 ? BODY : null };
  });
  const paid = ['requested', 'broadcast', 'completed'].map((step, index): EventRow => {
    const about = { merchantId: 'mer_3', paymentId: null, invoiceId: null, payoutId: 'wdr_1', body: null };
    return { ...about, id: `evt_9${String(index)}`, version: index + 1, type: `withdrawal.${step}` };
  });
  const order1 = { merchantId: 'mer_1', reference: 'cart-1', version: 3, callbackUrl: null, invoiceId: null };
  const invoiced = invoiceEvidence();
  return {
    notes,
    book: { taken: [taken(1, START, 500), taken(2, START + LATER, 200)], bodies: new Map([[digestOf(BODY), BODY]]) },
    outages: [] as Outage[],
    retryDelaysSeconds: [1, 1],
    events: [...paid, ...rows, ...invoiced.rows],
    deliveries: [{ id: 'dlv_1', eventId: 'evt_3', url: URL, status: 'SUCCESS', attempts: 2, resend: 0 }],
    attempts: [attempt(1, START, 500), attempt(2, START + LATER, 200)],
    payments: [{ id: 'ord_1', ...order1 }, ...invoiced.payments] as PaymentRow[],
    invoices: [...invoiced.invoices] as InvoiceRow[],
    payouts: [{ id: 'wdr_1', status: 'COMPLETED', failure: null as string | null, transfers: 1 }],
    told: new Map([
      ['mer_1', one],
      ['mer_2', invoiced.told],
    ]),
    received: new Map([['0x1', 700_000n]]),
    ledgerFault: null as string | null,
  } satisfies Evidence;
}

type Run = ReturnType<typeof rightRun>;
const breachIn = (run: Run) => first(INVARIANTS, ({ breach }) => breach(run));
type ToldNow = { events: Json[]; payments: Map<string, Json>; invoices: Map<string, Json> };
const toldIn = (run: Run) => run.told.get('mer_1') as ToldNow;
const invoicedIn = (run: Run) => run.told.get('mer_2') as ToldNow;

/** Changes the invoice as it is told with the event of a type, and as it is in the end. */
function changeInvoice(run: Run, type: string, change: (invoice: Json) => unknown): void {
  const { events, invoices } = invoicedIn(run);
  for (const invoice of [events.find((event) => event.type === type)?.invoice, invoices.get('inv_1')]) change(invoice);
}

/** Gives up the delivery after its first attempt. */
function giveUp(run: Run): void {
  run.attempts.pop();
  run.book.taken.pop();
  Object.assign(run.deliveries[0] as object, { status: 'FAILED', attempts: 1 });
}

const PLANTED: readonly (readonly [string, (run: Run) => unknown, RegExp])[] = [
  ['an order that is gone', (run) => run.payments.shift(), /order ord_1 was answered with 201 and is gone/],
  [
    'an order made twice under one key',
    (run) => run.payments.push({ ...(run.payments[0] as Run['payments'][0]), id: 'ord_2' }),
    /one idempotency key made the orders ord_1 and ord_2/,
  ],
  ['a deposit that is lost', (run) => toldIn(run).payments.get('ord_1')?.transactions.pop(), /deposit of 1.5 to ord_1/],
  [
    'a deposit credited twice',
    (run) => toldIn(run).payments.get('ord_1')?.transactions.push({ amount: '1.5', status: 'CONFIRMED' }),
    /ord_1 has 2 deposits, and 1 were asked for/,
  ],
  ['a cancellation undone', (run) => run.notes.canceled.push('ord_1'), /ord_1 was canceled/],
  ['an event that was never written', (run) => run.events.splice(4, 1), /payment ord_1 has changed 3 times.*1,3/],
  [
    'a payout whose end was not told',
    (run) => run.events.splice(2, 1),
    /payout wdr_1 is told as withdrawal.requested withdrawal.broadcast \(versions 1,2\)/,
  ],
  [
    'a payout that is told of twice',
    (run) => run.events.push({ ...(run.events[2] as EventRow), id: 'evt_99', version: 4 }),
    /payout wdr_1 is told as .*completed withdrawal.completed/,
  ],
  ['an event that is not told', (run) => toldIn(run).events.pop(), /GET \/events lacks event evt_3/],
  ['a gap in the sequence', (run) => toldIn(run).events.splice(1, 1), /sequence 3 stands at place 2/],
  [
    'an event that changed its number',
    (run) => run.notes.shops[0]?.eventsRead.set(2, 'evt_9'),
    /event 2 was evt_9 when it was read, and is evt_2/,
  ],
  [
    'changes out of order',
    (run) => Object.assign(toldIn(run).events[1]?.payment ?? {}, { status: 'EXPIRED' }),
    /PENDING → EXPIRED is a payment.updated/,
  ],
  [
    'another end than was told',
    (run) => Object.assign(toldIn(run).payments.get('ord_1') ?? {}, { amountConfirmed: '3' }),
    /amountConfirmed is 3, and 1.5 in its last event, evt_3/,
  ],
  ['an event without a delivery', (run) => run.deliveries.pop(), /event evt_3 .* has 0 deliveries to/],
  ['a resend that was lost', (run) => run.notes.resent.push('evt_3'), /has 0 deliveries to .* \(resend 1\)/],
  ['a gap in the attempts', (run) => run.attempts.shift(), /counts 2 attempts; recorded are 2/],
  [
    'an attempt that nobody saw',
    (run) => run.book.taken.shift(),
    /500 is recorded, and the receiver gave no such answer/,
  ],
  [
    'a request that is not recorded',
    (run) => run.book.taken.push(taken(3, START + 4_000, 200)),
    /took delivery dlv_1, attempt 3, and gave 200; it is not recorded/,
  ],
  ['a retry that a crash burned', giveUp, /was given up after 1 attempts, the last with 500/],
  [
    'a retry that came too early',
    (run) => {
      run.attempts[1] = attempt(2, START + 300, 200);
      run.book.taken[1] = taken(2, START + 300, 200);
    },
    /attempt 2 came \d+ ms too early after 500/,
  ],
  [
    'an attempt made twice without a kill',
    (run) => run.book.taken.push(taken(2, START + 9_000, 200)),
    /attempt 2, was made 2 times without a kill/,
  ],
  [
    'another body',
    (run) => (run.book.taken[1] = { ...(run.book.taken[1] as Taken), digest: digestOf('{}') }),
    /attempt 2: its body is not the one of event evt_3/,
  ],
  [
    'a forged signature',
    (run) => (run.book.taken[1] = { ...(run.book.taken[1] as Taken), signature: 't=1, v1=00' }),
    /X-PGW-Signature is t=1, v1=00/,
  ],
  ['an invoice that is gone', (run) => run.invoices.pop(), /invoice inv_1 was answered with 201 and is gone/],
  [
    'two invoices of one reference',
    (run) => run.invoices.push({ ...(run.invoices[0] as InvoiceRow), id: 'inv_2' }),
    /one reference made the invoices inv_1 and inv_2|invoice inv_2 has changed/,
  ],
  ['an invoice whose change was not told', (run) => run.events.splice(8, 1), /invoice inv_1 has changed 4 times/],
  [
    'an invoice that skips a state',
    (run) => Object.assign(invoicedIn(run).events[4]?.invoice, { status: 'OPEN' }),
    /invoice inv_1, event evt_24 .*invoice.processing for no change of state|SETTLED follows OPEN/,
  ],
  [
    'a second telling of one entry to SETTLED',
    (run) => {
      const { events } = invoicedIn(run);
      const last = events.at(-1);
      events.push({ ...last, id: 'evt_27', sequence: 8 });
      run.events.push({ ...(run.events.at(-1) as EventRow), id: 'evt_27', version: 5 });
      Object.assign(run.invoices[0] as object, { version: 5 });
    },
    /event evt_27 .*invoice.settled for no change of state/,
  ],
  [
    'an invoice that ends otherwise than was told',
    (run) => Object.assign(invoicedIn(run).invoices.get('inv_1'), { amountDue: '1' }),
    /invoice inv_1: amountDue is 1, and 0 in its last event/,
  ],
  [
    'an invoice settled one unit below its price',
    (run) =>
      changeInvoice(run, 'invoice.settled', (invoice) =>
        Object.assign(invoice.payments[0].transactions[0], { amount: '9.999999' }),
      ),
    /invoice inv_1 of 9 EUR, with 8999999100000000000000000000000e-30 confirmed was settled/,
  ],
  [
    'an invoice settled by money that is not confirmed',
    (run) =>
      changeInvoice(run, 'invoice.settled', (invoice) =>
        Object.assign(invoice.payments[0].transactions[0], { status: 'PENDING' }),
      ),
    /invoice inv_1 of 9 EUR, with 0e-30 confirmed was settled/,
  ],
  [
    'an invoice that is paid and not settled',
    (run) => {
      const { events, invoices } = invoicedIn(run);
      events.pop();
      run.events.pop();
      Object.assign(run.invoices[0] as object, { version: 3 });
      Object.assign(events[4]?.invoice, invoices.get('inv_1'), { status: 'PROCESSING' });
      Object.assign(invoices.get('inv_1'), { status: 'PROCESSING' });
    },
    /invoice inv_1 of 9 EUR, with 9000000000000000000000000000000e-30 confirmed is PROCESSING/,
  ],
  ['a payout that failed', (run) => Object.assign(run.payouts[0] ?? {}, { status: 'FAILED' }), /wdr_1 is FAILED/],
  ['a payout paid twice', (run) => run.received.set('0x1', 1_400_000n), /0x1 holds 1400000 .*700000 are due/],
  ['a book that is wrong', (run) => (run.ledgerFault = '✗ all balances sum to zero'), /balances sum to zero/],
];

describe('the rules of chaos', () => {
  it('hold of a run that was right', () => {
    expect(breachIn(rightRun())).toBeNull();
  });

  it.each(PLANTED)('find %s', (_what, plant, words) => {
    const run = rightRun();
    plant(run);
    expect(breachIn(run)).toMatch(words);
  });

  it('find an attempt made twice while another dispatcher was being started', () => {
    const run = rightRun();
    run.book.taken.push(taken(2, START + 9_000, 200));
    const from = START + 5_000;
    run.outages.push({ victim: 'dispatcher 1', from, to: from + 10_000, losesRecordsUntil: from + 20 });
    expect(breachIn(run)).toMatch(/attempt 2, was made 2 times without a kill/);
  });

  it('let an attempt be made again whose record a kill had lost', () => {
    const run = rightRun();
    run.book.taken.unshift(taken(1, START - 20_000, 200));
    const from = START - 19_900;
    run.outages.push({ victim: 'dispatcher 1', from, to: from + 3_000, losesRecordsUntil: from + 20 });
    expect(breachIn(run)).toBeNull();
  });
});
