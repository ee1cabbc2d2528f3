// The reference of the list bench: a bare Fastify with a pg pool, the gateway's own statements, prepared, and
// hand-written JSON. It knows one merchant and checks nothing: no token, no validation, no limits, no log.

import fastify from 'fastify';
import type { AddressInfo } from 'node:net';
import pg from 'pg';
import { apiLogPageOf } from '../../src/database/queries/list-api-log.ts';
import { deliveryPageOf } from '../../src/database/queries/webhooks/list-deliveries.ts';
import { pageOf } from '../../src/database/queries/payments/list-payments.ts';
import { paymentsOf } from '../../src/database/queries/search/payments.ts';
import { payoutPageOf } from '../../src/database/queries/payouts/list-payouts.ts';

const [url = '', merchantId = ''] = process.argv.slice(2);
const pool = new pg.Pool({ connectionString: url, max: 20 });
const server = fastify();
type Query = Readonly<Record<string, string | string[] | undefined>>;
type Row = Record<string, string | number | Date | null>;

/** Formats base units as a decimal string. */
function decimal(units: string, decimals: number): string {
  const digits = units.padStart(decimals + 1, '0');
  const fraction = digits.slice(-decimals).replace(/0+$/, '');
  return fraction === '' ? digits.slice(0, -decimals) : `${digits.slice(0, -decimals)}.${fraction}`;
}
const decimalsOf = ({ currency }: { currency?: unknown }): number =>
  currency === 'BNB' || currency === 'ETH' ? 18 : 6;

interface Deposit {
  txHash: string;
  amount: string;
  status: string;
  blockHeight: number;
  seenAt: string;
}

function toPayment({ deposits, height, toleranceBasisPoints: _, merchantId: __, version: ___, id, ...row }: Row) {
  const decimals = decimalsOf(row);
  const amounts: Row = {};
  for (const name of ['amount', 'amountReceived', 'amountConfirmed', 'amountRefunded', 'feeAmount'])
    amounts[name] = decimal(row[name] as string, decimals);
  const confirmed = (blockHeight: number) => Math.max(0, (height as number) - blockHeight + 1);
  const seen = (deposits ?? []) as unknown as Deposit[];
  const transactions = seen.map(({ txHash, amount, status, blockHeight, seenAt }) => ({
    txHash,
    amount: decimal(amount, decimals),
    status,
    confirmations: confirmed(blockHeight),
    blockNumber: blockHeight,
    seenAt: new Date(seenAt),
  }));
  const confirmations = Math.min(...seen.map(({ blockHeight }) => confirmed(blockHeight)));
  return {
    ...{ orderId: id, ...row, ...amounts, paymentUrl: `http://localhost:3000/pay/${String(id)}` },
    confirmations: Number.isFinite(confirmations) ? confirmations : 0,
    transactions,
  };
}

const dateOf = (query: Query, name: string) => (query[name] === undefined ? null : new Date(query[name] as string));
const limitOf = ({ limit }: Query) => Number(limit ?? 20);
const textOf = (query: Query, name: string) => (query[name] as string | undefined) ?? null;

function answer<Item>(items: Item[], limit: number, cursorOf: (item: Item) => unknown) {
  const page = items.slice(0, limit);
  const hasMore = items.length > limit;
  const nextCursor = hasMore ? cursorOf(page[limit - 1] as Item) : null;
  return { success: true, data: { items: page, pagination: { nextCursor, hasMore } } };
}

server.get('/api/v1/payments', async (request) => {
  const query = request.query as Query;
  const limit = limitOf(query);
  const { status } = query;
  const filter = {
    ...{ merchantId, statuses: status === undefined ? null : [status].flat() },
    ...{ currency: textOf(query, 'currency'), network: textOf(query, 'network') },
    ...{ merchantOrderId: textOf(query, 'merchantOrderId'), before: textOf(query, 'cursor') },
    ...{ from: dateOf(query, 'startDate'), until: dateOf(query, 'endDate') },
  };
  const { rows } = await pool.query<Row>(pageOf(filter, limit + 1));
  return answer(rows.map(toPayment), limit, ({ orderId }) => orderId);
});

server.get('/api/v1/search', async (request) => {
  const nothing = { id: null, addresses: [], hashes: [], networks: ['ETH'] };
  const sought = { merchantId, text: textOf(request.query as Query, 'text') ?? '', ...nothing };
  const { rows } = await pool.query<Row>(paymentsOf(sought, 10));
  return answer(rows.map(toPayment), 10, ({ orderId }) => orderId);
});

server.get('/api/v1/wallet/withdrawals', async (request) => {
  const limit = limitOf(request.query as Query);
  const statement = payoutPageOf({ merchantId, kind: 'WITHDRAWAL' }, { limit: limit + 1, before: null });
  const { rows } = await pool.query<Row>(statement);
  const items = rows.map(({ id, paymentId: _, failure: failureReason, requestedBy: __, decidedBy: ___, ...row }) => ({
    ...{ withdrawalId: id, ...row, failureReason },
    amount: decimal(row['amount'] as string, decimalsOf(row)),
    networkFee: decimal(row['networkFee'] as string, decimalsOf(row)),
  }));
  return answer(items, limit, (item) => item.withdrawalId);
});

server.get('/api/v1/webhooks/deliveries', async (request) => {
  const limit = limitOf(request.query as Query);
  const { rows } = await pool.query<Row>(deliveryPageOf({ merchantId }, limit + 1));
  const items = rows.map((row) => ({
    ...{ event_id: row['eventId'], delivery_id: row['deliveryId'], url: row['url'], status: row['status'] },
    ...{ attempts: row['attempts'], last_attempt_at: row['lastAttemptAt'], next_retry_at: row['nextRetryAt'] },
    ...{ response_code: row['responseCode'], response_time_ms: row['responseTimeMs'] },
  }));
  return answer(items, limit, (item) => item.delivery_id);
});

server.get('/api/v1/merchant/api-logs', async (request) => {
  const query = request.query as Query;
  const limit = limitOf(query);
  const filter = { merchantId, from: dateOf(query, 'startDate'), until: dateOf(query, 'endDate'), before: null };
  const { rows } = await pool.query<Row>(apiLogPageOf(filter, limit + 1));
  return answer(
    rows.map(({ id: _, ...item }) => item),
    limit,
    ({ at }) => at,
  );
});

await server.listen({ port: 0, host: '127.0.0.1' });
process.send?.((server.server.address() as AddressInfo).port);
process.on('disconnect', () => process.exit());
process.on('SIGINT', () => undefined); // The parent stops us after its cleanup.
