// Assertions shared by all tests of answers: envelopes, keys, faults and GraphQL errors.

import { expect } from '@jest/globals';
import type { Answer, Json } from './clients.ts';

export const ISO = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
export const id = (prefix: string): RegExp => new RegExp(`^${prefix}_[0-9a-z]{22,}$`);

/** The keys of the answer to creating a payment. */
export const CREATED_PAYMENT_KEYS = [
  ...['orderId', 'address', 'amount', 'currency', 'network', 'paymentUrl', 'expiresAt', 'status', 'createdAt'],
];

/** The keys of a full payment (contract, section 4). */
export const FULL_PAYMENT_KEYS = [
  ...CREATED_PAYMENT_KEYS,
  ...['exception', 'test', 'merchantOrderId', 'productName', 'customerEmail', 'callbackUrl', 'returnUrl', 'metadata'],
  ...['amountReceived', 'amountConfirmed', 'amountRefunded', 'feeAmount', 'confirmations', 'requiredConfirmations'],
  ...['transactions', 'updatedAt', 'completedAt', 'invoiceId'],
];

/** The keys of a full invoice, of its payments and of their transactions, in order (contract-invoices, section 6). */
export const FULL_INVOICE_KEYS = [
  ...['invoiceId', 'status', 'exception', 'test', 'amount', 'currency', 'acceptedAssets', 'description'],
  ...['merchantInvoiceId', 'linkId', 'customerEmail', 'customer', 'returnUrl', 'callbackUrl', 'metadata', 'invoiceUrl'],
  ...['amountReceived', 'amountConfirmed', 'amountRefunded', 'amountDue', 'payments'],
  ...['expiresAt', 'createdAt', 'updatedAt', 'settledAt'],
];
export const INVOICE_PAYMENT_KEYS = [
  ...['orderId', 'currency', 'network', 'address', 'amount', 'status', 'exception', 'rate', 'marketRate', 'spread'],
  ...['sources', 'quotedAt', 'quoteExpiresAt', 'amountReceived', 'amountConfirmed', 'amountRefunded'],
  ...['valueReceived', 'valueConfirmed', 'transactions'],
];
export const INVOICE_TRANSACTION_KEYS = [
  ...['txHash', 'amount', 'status', 'confirmations', 'blockNumber', 'seenAt', 'rate', 'value'],
];

/**
 * The keys of an invoice as its customer sees it, in order; nothing else is ever shown (contract-invoices, section 11).
 */
export const INVOICE_CHECKOUT_KEYS = [
  ...['id', 'status', 'exception', 'amount', 'currency', 'amountReceived', 'amountDue', 'description'],
  ...['merchantInvoiceId', 'companyName', 'logoUrl', 'accentColor', 'locale', 'returnUrl', 'test', 'createdAt'],
  ...['expiresAt', 'options', 'payments'],
];

/** The keys of a refund in a list (contract-people-payouts, section D). */
export const REFUND_KEYS = [
  ...['refundId', 'orderId', 'status', 'amount', 'address', 'txHash', 'heldReason', 'createdAt'],
  ...['failureReason', 'updatedAt', 'completedAt'],
];

/** Asserts that an object has exactly these keys, in any order. */
export function expectKeys(value: object, keys: readonly string[]): void {
  expect(Object.keys(value).sort()).toEqual([...keys].sort());
}

/** Asserts the envelope of success and returns its data. */
export function dataOf(answer: Answer, status = 200): Json {
  if (answer.status !== status) expect({ status: answer.status, text: answer.text }).toEqual({ status, text: '' });
  expectEveryAnswer(answer);
  expect(answer.body).toMatchObject({ success: true, data: expect.any(Object) });
  return answer.body.data;
}

/** Asserts the envelope of failure, whole, and returns its error. */
export function expectRefusal(answer: Answer, status: number, code: string): Json {
  expect({ status: answer.status, text: answer.text }).toEqual({
    status,
    text: expect.stringContaining(`"code":"${code}"`),
  });
  expectEveryAnswer(answer);
  const { error, ...rest } = answer.body as { error: Json };
  expect(rest).toEqual({ success: false });
  expectKeys(error, 'details' in error ? ['code', 'message', 'details'] : ['code', 'message']);
  expect(error.message).toMatch(/\S/);
  return error;
}

/** Asserts a 2001 with faults at exactly these paths, in any order. */
export function expectFaults(answer: Answer, paths: readonly string[]): void {
  const { details = [] } = expectRefusal(answer, 400, '2001') as { details?: { path: string; message: string }[] };
  for (const fault of details) expectKeys(fault, ['path', 'message']);
  expect(details.map((fault) => fault.path).sort()).toEqual([...paths].sort());
}

/** Asserts one GraphQL error with its code, and returns it. */
export function expectGraphQLError(answer: Answer, status: number, code: string, errorCode: string): Json {
  expect({ status: answer.status, text: answer.text }).toEqual({
    status,
    text: expect.stringContaining(`"errorCode":"${errorCode}"`),
  });
  expect(answer.headers['x-request-id']).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
  const [error] = answer.body.errors as Json[];
  const requestId = answer.headers['x-request-id'];
  expect(error.extensions).toMatchObject({ code, errorCode, requestId });
  const allowed = ['code', 'errorCode', 'requestId', 'details'];
  expect(Object.keys(error.extensions as object).filter((key) => !allowed.includes(key))).toEqual([]);
  return error;
}

function expectEveryAnswer({ headers }: Answer): void {
  expect(headers['content-type']).toBe('application/json; charset=utf-8');
  expect(headers['x-request-id']).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
}
