// Writes a webhook as BTCPay Server does: the same event and attempt, in its envelope and with its signature.

import { createHmac } from 'node:crypto';
import type { Claim } from '../../database/queries/webhooks/claim-deliveries.ts';
import { GREENFIELD_EVENTS, isGreenfieldEvent } from '../../values/formats/greenfield.ts';

/** What is read of our own body. */
interface OwnBody {
  readonly type: string;
  readonly data: {
    readonly invoice?: {
      readonly invoiceId: string;
      readonly status: string;
      readonly exception: string | null;
      readonly metadata: Readonly<Record<string, string>> | null;
    };
  };
}

type Written = Pick<Claim, 'eventId' | 'deliveryId' | 'endpointId' | 'merchantId' | 'attempt' | 'body' | 'secrets'>;

/**
 * Headers and body of an attempt. `BTCPay-Sig` is `sha256=<hex>`, keyed with the UTF-8 bytes of the whole secret; it
 * has room for one signature, so while two secrets are valid, attempts take turns. The time is in whole seconds.
 */
export function greenfieldPost(claim: Written, timestampSeconds: number) {
  const body = Buffer.from(JSON.stringify(bodyOf(claim, timestampSeconds)));
  const { secrets, attempt } = claim;
  const secret = secrets[(attempt - 1) % secrets.length] ?? '';
  const headers = {
    'Content-Type': 'application/json',
    'User-Agent': 'Turnpike-Webhook/1.0',
    'BTCPay-Sig': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
  };
  return { headers, body };
}

function bodyOf({ eventId, deliveryId, endpointId, merchantId, attempt, body }: Written, timestamp: number): object {
  const { type, data } = JSON.parse(body.toString()) as OwnBody;
  const envelope = {
    ...{ deliveryId, webhookId: endpointId, originalDeliveryId: deliveryId, isRedelivery: attempt > 1 },
  };
  // As BTCPay Server marks a test, whose invoice does not exist.
  const invoice = data.invoice ?? {
    invoiceId: `__test__${eventId}__test__`,
    status: 'OPEN',
    exception: null,
    metadata: null,
  };
  const { invoiceId, status, exception, metadata } = invoice;
  const about = { timestamp, storeId: merchantId, invoiceId, metadata: metadata ?? {} };
  const isOver = exception === 'OVERPAID';
  const isUnder = type === 'invoice.failed' && exception === 'UNDERPAID';
  // Money that is back after a refund of it all settles nothing: a shop would take the order for paid again.
  const isRefunded = type === 'invoice.settled' && status === 'REFUNDED';
  const named = isRefunded
    ? 'InvoiceInvalid'
    : isUnder
      ? 'InvoiceExpired'
      : isGreenfieldEvent(type)
        ? GREENFIELD_EVENTS[type]
        : 'InvoiceCreated';
  const more = {
    InvoiceCreated: {},
    InvoiceProcessing: { overPaid: isOver },
    InvoiceSettled: { manuallyMarked: false, overPaid: isOver },
    InvoiceExpired: { partiallyPaid: isUnder },
    InvoiceInvalid: { manuallyMarked: false },
  }[named];
  return { ...envelope, type: named, ...about, ...more };
}
