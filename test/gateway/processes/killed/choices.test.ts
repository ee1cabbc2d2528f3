// An API process that is killed with -9 around a payer's choice (contract-invoices, section 13): before its commit
// nothing of it is shown, and the address that it took is left out; after it, a repeat answers the live quote.

import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { newMerchant, rest, type Answer, type Json, type TestMerchant } from '../../../support/clients.ts';
import { dataOf } from '../../../support/expectations.ts';
import { COMMIT, startPostgresProxy, type PostgresProxy } from '../../../support/proxies/postgres-proxy.ts';
import { until } from '../../../support/until.ts';
import { openApiProcesses, type ApiProcess, type ApiProcesses, type Face } from '../api-processes.fixture.ts';

let setup: ApiProcesses;
let proxy: PostgresProxy;
/** The process that is killed. It takes no address but for the choices in which it dies. */
let doomed: ApiProcess;
let isDead = false;
let shop: TestMerchant;

beforeAll(async () => {
  setup = await openApiProcesses();
  proxy = await startPostgresProxy(setup.databaseUrl);
  doomed = await setup.launch({ DATABASE_URL: proxy.url });
  shop = await newMerchant(setup.gateway);
});
afterEach(() => revive());
afterAll(async () => {
  await setup.stop();
  await proxy.stop();
});

const PRICE = { amount: '49.90', currency: 'EUR' };

/** An invoice whose first choice is stored by one statement. */
const createInvoice = async (): Promise<string> =>
  dataOf(await shop.rest('POST', '/invoices', PRICE), 201).invoiceId as string;

/** One of a payment link, whose choices are stored in a transaction. */
async function submitLink(): Promise<string> {
  const { id } = dataOf(await shop.rest('POST', '/payment-links', { name: 'Tea', ...PRICE }), 201);
  return dataOf(await rest(setup.gateway)('POST', `/checkout/links/${String(id)}`, {}), 201).id as string;
}

const choose = (face: Face, invoiceId: string): Promise<Answer> =>
  rest(face)('POST', `/checkout/invoices/${invoiceId}/choose`, { currency: 'USDT', network: 'ETH' });

const read = async (invoiceId: string): Promise<Json> => dataOf(await shop.rest('GET', `/invoices/${invoiceId}`));

/** Its payments in the merchant's list. */
async function paymentsOf(invoiceId: string): Promise<Json[]> {
  const answer = await shop.graphql('query ($filter: PaymentFilter) { payments(filter: $filter) { nodes { id } } }', {
    filter: { invoiceId },
  });
  return answer.body.data.payments.nodes as Json[];
}

/** What the next choice of an address would begin at, at the least. */
async function nextIndex(): Promise<number> {
  const rows = await setup.gateway.sql<{ next: number }>(
    `select next_index::int as next from derivation_account where account = 'evm'`,
  );
  return rows[0]?.next ?? NaN;
}

interface StoredQuote {
  readonly id: string;
  readonly address: string;
  readonly index: number;
}

const quotesOf = (invoiceId: string): Promise<StoredQuote[]> =>
  setup.gateway.sql<StoredQuote>(
    `select p.id, p.address, p.derivation_index::int as index from payment p join quote q on q.payment_id = p.id
     where p.invoice_id = $1`,
    [invoiceId],
  );

/** The types of the invoice's events and of those of its payments, in order. */
async function toldOf(invoiceId: string): Promise<string[]> {
  const rows = await setup.gateway.sql<{ type: string }>(
    `select type from event where invoice_id = $1
       or payment_id in (select id from payment where invoice_id = $1) order by type`,
    [invoiceId],
  );
  return rows.map(({ type }) => type);
}

/** A choice in which its process dies: as these bytes go to the database, or once they have taken effect there. */
async function dieIn(invoiceId: string, statement: RegExp, when: 'before' | 'after'): Promise<void> {
  const caught = proxy.catchNext(statement, when);
  const answer = choose(doomed, invoiceId).catch(() => 'cut off');
  const cut = await caught;
  isDead = true;
  await doomed.program().kill();
  expect(await answer).toBe('cut off');
  cut();
}

/** Starts the process again, so that a test that failed leaves the others alone. */
async function revive(): Promise<void> {
  if (isDead) await doomed.restart();
  isDead = false;
}

/** The quote is paid as any other: the invoice is settled, by this payment alone. */
async function expectPayable(invoiceId: string, { id }: StoredQuote): Promise<void> {
  dataOf(await shop.rest('POST', `/sandbox/payments/${id}/deposit`));
  const settled = await until(async () => {
    const invoice = await read(invoiceId);
    return invoice.status === 'SETTLED' && invoice;
  });
  expect(settled).toMatchObject({ exception: null, payments: [{ orderId: id, status: 'SUCCEEDED' }] });
}

const STATEMENT = /insert into quote /;

const BEFORE = [
  ['its one statement has not run', createInvoice, STATEMENT],
  ['its payment is stored, and not its quote', submitLink, STATEMENT],
  ['all is stored, and not committed', submitLink, COMMIT],
] as const;
const AFTER = [
  ['its one statement has run', createInvoice, STATEMENT],
  ['its transaction is committed', submitLink, COMMIT],
] as const;

describe('a process that is killed with -9 in a choice', () => {
  it.each(BEFORE)('when %s: nothing is shown, and its address is left out', async (_when, create, statement) => {
    const invoiceId = await create();
    const from = await nextIndex();
    await dieIn(invoiceId, statement, 'before');
    const end = await nextIndex();
    expect(end).toBeGreaterThan(from);
    expect(await read(invoiceId)).toMatchObject({ status: 'OPEN', payments: [] });
    expect(dataOf(await rest(setup.gateway)('GET', `/checkout/invoices/${invoiceId}`)).payments).toEqual([]);
    expect(await paymentsOf(invoiceId)).toEqual([]);
    expect(await toldOf(invoiceId)).toEqual(['invoice.created']);

    const { payments } = dataOf(await choose(setup.gateway, invoiceId));
    await revive();
    expect(dataOf(await choose(doomed, invoiceId)).payments).toEqual(payments);
    const [quote, ...more] = await quotesOf(invoiceId);
    expect([quote?.address, more]).toEqual([payments[0].checkout.address, []]);
    const taken = await setup.gateway.sql(
      `select id from payment where derivation_account = 'evm' and derivation_index >= $1 and derivation_index < $2`,
      [from, end],
    );
    expect(taken).toEqual([]);
    await expectPayable(invoiceId, quote as StoredQuote);
  });

  it.each(AFTER)('when %s: a repeat answers the live quote, from every process', async (_when, create, statement) => {
    const invoiceId = await create();
    await dieIn(invoiceId, statement, 'after');
    const quotes = await quotesOf(invoiceId);
    expect(quotes).toHaveLength(1);
    const { id, address } = quotes[0] as StoredQuote;
    const before = await nextIndex();
    const repeated = dataOf(await choose(setup.gateway, invoiceId));
    await revive();
    for (const { payments } of [repeated, dataOf(await choose(doomed, invoiceId))])
      expect(payments).toMatchObject([{ checkout: { id, address }, isCurrent: true }]);
    expect(await quotesOf(invoiceId)).toEqual(quotes);
    expect(await nextIndex()).toBe(before);
    expect(await toldOf(invoiceId)).toEqual(['invoice.created', 'invoice.updated', 'payment.created']);
    await expectPayable(invoiceId, quotes[0] as StoredQuote);
  });
});
