// Webhooks in the form of BTCPay Server: which of their events ours are.

import { describe, expect, it } from '@jest/globals';
import { greenfieldPost } from '../../../src/domain/webhooks/greenfield.ts';

function named(type: string, status: string, exception: string | null): Record<string, unknown> {
  const invoice = { invoiceId: 'inv_1', status, exception, metadata: null };
  const { body } = greenfieldPost(
    {
      ...{ eventId: 'evt_1', deliveryId: 'dlv_1', endpointId: 'whk_1', merchantId: 'mer_1', attempt: 2 },
      ...{ body: Buffer.from(JSON.stringify({ type, data: { invoice } })), secrets: ['a', 'b'] },
    },
    1_795_257_600,
  );
  return JSON.parse(body.toString()) as Record<string, unknown>;
}

describe('an event of ours', () => {
  it.each([
    ['invoice.created', 'OPEN', null, { type: 'InvoiceCreated' }],
    ['invoice.processing', 'PROCESSING', 'OVERPAID', { type: 'InvoiceProcessing', overPaid: true }],
    ['invoice.settled', 'SETTLED', null, { type: 'InvoiceSettled', overPaid: false, manuallyMarked: false }],
    ['invoice.settled', 'PARTIALLY_REFUNDED', null, { type: 'InvoiceSettled' }],
    ['invoice.settled', 'REFUNDED', null, { type: 'InvoiceInvalid', manuallyMarked: false }],
    ['invoice.expired', 'EXPIRED', null, { type: 'InvoiceExpired', partiallyPaid: false }],
    ['invoice.failed', 'FAILED', 'UNDERPAID', { type: 'InvoiceExpired', partiallyPaid: true }],
    ['invoice.failed', 'FAILED', null, { type: 'InvoiceInvalid' }],
  ])('%s of a %s invoice (%s) is theirs of %j', (type, status, exception, theirs) => {
    const common = { webhookId: 'whk_1', storeId: 'mer_1', invoiceId: 'inv_1', isRedelivery: true, metadata: {} };
    expect(named(type, status, exception)).toMatchObject({ ...common, ...theirs });
  });
});
