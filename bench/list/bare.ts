// The reference of the list bench: a bare Fastify with a pg pool, the gateway's own statements, prepared, and
// hand-written JSON. It knows one merchant and checks nothing: no token, no validation, no limits, no log.

import fastify from 'fastify';
import type { AddressInfo } from 'node:net';
import pg from 'pg';
import { apiLogPageOf, apiLogWalkOf } from '../../src/database/queries/list-api-log.ts';
import { deliveryPageOf, deliveryWalkOf } from '../../src/database/queries/webhooks/list-deliveries.ts';
import { pageOf } from '../../src/database/queries/payments/list-payments.ts';
import { paymentsOf } from '../../src/database/queries/search/payments.ts';
import { payoutPageOf } from '../../src/database/queries/payouts/list-payouts.ts';
import { pageOfWalk, type WalkedRow } from '../../src/database/queries/walk.ts';

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

/** The rows of a page, and what it goes on after. */
function toPage(rows: Row[], limit: number, cursorOf: (row: Row) => unknown) {
  const shown = rows.slice(0, limit);
  return { shown, next: rows.length > limit ? cursorOf(shown.at(-1) ?? {}) : null };
}

/** The same of a walk. */
function toWalked(rows: Row[], limit: number) {
  const walked = pageOfWalk(rows as unknown as (Row & WalkedRow)[], limit);
  return { shown: walked.rows as readonly Row[], next: walked.next };
}

function answerPage(items: unknown[], nextCursor: unknown) {
  return { success: true, data: { items, pagination: { nextCursor, hasMore: nextCursor !== null } } };
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
  const query = request.query as Query;
  const limit = limitOf(query);
  const sought = { endpointId: textOf(query, 'endpoint_id'), eventType: textOf(query, 'event_type') };
  const filter = { merchantId, ...sought, since: dateOf(query, 'since'), until: dateOf(query, 'until') };
  const { shown, next } =
    sought.endpointId === null && sought.eventType === null
      ? toPage((await pool.query<Row>(deliveryPageOf(filter, limit + 1))).rows, limit, (row) => row['deliveryId'])
      : await walkDeliveries(filter, limit);
  const items = shown.map((row) => ({
    ...{ event_id: row['eventId'], delivery_id: row['deliveryId'], url: row['url'], status: row['status'] },
    ...{ attempts: row['attempts'], last_attempt_at: row['lastAttemptAt'], next_retry_at: row['nextRetryAt'] },
    ...{ response_code: row['responseCode'], response_time_ms: row['responseTimeMs'] },
  }));
  return answerPage(items, next);
});

async function walkDeliveries(filter: Parameters<typeof deliveryWalkOf>[0], limit: number) {
  const near = toWalked((await pool.query<Row>(deliveryWalkOf(filter, limit + 1, 'near'))).rows, limit);
  if (near.next === null || near.shown.length === limit) return near;
  const rest = { ...filter, before: near.next };
  const left = limit - near.shown.length;
  const far = toWalked((await pool.query<Row>(deliveryWalkOf(rest, left + 1, 'far'))).rows, left);
  return { shown: [...near.shown, ...far.shown], next: far.next };
}

server.get('/api/v1/merchant/api-logs', async (request) => {
  const query = request.query as Query;
  const limit = limitOf(query);
  const filter = { merchantId, from: dateOf(query, 'startDate'), until: dateOf(query, 'endDate'), before: null };
  const statusClass = query['statusClass'] === undefined ? null : Number(query['statusClass']);
  const sought = {
    ...{ keyId: textOf(query, 'keyId'), method: textOf(query, 'method'), path: textOf(query, 'path'), statusClass },
    ...{ errorCode: textOf(query, 'errorCode'), source: textOf(query, 'source') as 'KEY' | 'SESSION' | null },
  };
  const isSought = Object.values(sought).some((value) => value !== null);
  const statement = isSought ? apiLogWalkOf({ ...filter, ...sought }, limit + 1) : apiLogPageOf(filter, limit + 1);
  const { rows } = await pool.query<Row>(statement);
  const { shown, next } = isSought ? toWalked(rows, limit) : toPage(rows, limit, (row) => row['at']);
  const items = shown.map(({ id: _, fits: __, isEnd: ___, ...item }) => item);
  return answerPage(items, next);
});

await server.listen({ port: 0, host: '127.0.0.1' });
process.send?.((server.server.address() as AddressInfo).port);
process.on('disconnect', () => process.exit());
process.on('SIGINT', () => undefined); // The parent stops us after its cleanup.
