// A merchant who uses no invoices sees the gateway that they know: answers, events and webhooks are those that the
// program before invoices gave, but for the clauses that the contract of invoices names.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { USUAL_EVENT_TYPES } from '../../src/values/internet/webhook-events.ts';
import type { Json } from '../support/clients.ts';
import { startTestGateway, type TestGateway } from '../support/gateway/gateway.ts';
import { ANSWERS_AT, recordAnswers, type Recording } from './recorded-answers.fixture.ts';

const before = JSON.parse(readFileSync(ANSWERS_AT, 'utf8')) as Recording;
let gateway: TestGateway;
let now: Recording;

beforeAll(async () => {
  gateway = await startTestGateway();
  now = await recordAnswers(gateway.url);
});

afterAll(() => gateway.stop());

const KNOWN_TYPES = JSON.stringify(USUAL_EVENT_TYPES.filter((type) => type.startsWith('payment.')));

/** What the contract adds, each at the end of its object, so that the order of keys is compared as well. */
const ADDED_SETTINGS = {
  invoiceExpirationMinutes: 60,
  quoteMinutes: 15,
  rateSpread: 0,
  acceptedAssets: null,
  fixedRates: [],
  accountingCurrency: null,
  customerMails: [],
  supportEmail: null,
  customerDataDays: null,
};

/**
 * A recorded value with the clauses that changed: `invoiceId`, `invoice`, settings, all event types of new endpoints.
 */
function changed(value: Json): Json {
  if (Array.isArray(value)) return JSON.stringify(value) === KNOWN_TYPES ? [...USUAL_EVENT_TYPES] : value.map(changed);
  if (value === null || typeof value !== 'object') return value;
  const own = Object.fromEntries(Object.entries(value as object).map(([name, part]) => [name, changed(part)]));
  if ('orderId' in own && 'completedAt' in own) return { ...own, invoiceId: null };
  if ('sequence' in own && 'payment' in own) return { ...own, invoice: null, withdrawal: null, refund: null };
  if ('withdrawalId' in own && 'heldReason' in own)
    return { ...own, addressId: null, batchId: null, ...payoutFields(own) };
  if ('refundId' in own && 'heldReason' in own) return { ...own, ...payoutFields(own) };
  return 'latePaymentPolicy' in own ? { ...own, ...ADDED_SETTINGS } : own;
}

/** What payouts gain; their times are blurred. */
const payoutFields = ({ status }: Record<string, Json>) => ({
  ...{ failureReason: null, updatedAt: 'time', completedAt: status === 'COMPLETED' ? 'time' : null },
});

/** As text, because the order of keys is part of the contract. */
const textOf = (value: Json) => JSON.stringify(value, null, 1);

describe('without invoices', () => {
  it('makes the calls of the record', () => {
    expect(now.answers.map(({ call }) => call)).toEqual(before.answers.map(({ call }) => call));
    expect(before.answers.length).toBeGreaterThan(40);
  });

  it.each(before.answers.map((recorded, nth) => [`${nth + 1}. ${recorded.call}`, nth, recorded] as const))(
    '%s answers as before',
    (_, nth, recorded) => {
      expect(textOf(now.answers[nth])).toBe(textOf(changed(recorded)));
    },
  );

  it('has the same events', () => {
    expect(textOf(now.events)).toBe(textOf(changed(before.events)));
  });

  it('sends the same webhooks', () => {
    expect(textOf(now.webhooks)).toBe(textOf(changed(before.webhooks)));
  });
});
