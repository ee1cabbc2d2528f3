// Builds invoices and their payments as plain facts, for the tests of the state of an invoice.

import { nextInvoiceState, type InvoiceFacts, type InvoiceStep } from '../../../src/domain/payments/invoice-state.ts';
import { worthOfAll } from '../../../src/domain/payments/invoice-values.ts';
import type { ReadQuotedPayment } from '../../../src/database/queries/invoices/read-invoices.ts';
import type { PaymentStatus } from '../../../src/entities/enums.ts';
import type { Network } from '../../../src/values/assets.ts';
import type { DepositFacts } from '../../../src/domain/payments/state-machine.ts';
import { minute } from './facts.fixture.ts';

/** A rate of one: a unit of the asset is a unit of the price's currency. */
export const ONE = 10n ** 12n;

/** A new invoice of 1,000 JPY with a deadline at minute 30, unless `facts` say otherwise. */
export function invoice(facts: Partial<InvoiceFacts> = {}): InvoiceFacts {
  return {
    ...({ status: 'OPEN', exception: null, amount: 1_000n, currency: 'JPY' } as const),
    ...({ toleranceBasisPoints: 0, latePaymentPolicy: 'ACCEPT', deadline: minute(30) } as const),
    ...{ processingSince: null, lateFromStatus: null, lateFromException: null, acceptedAt: null, valueSetAside: 0n },
    ...{ lostFromStatus: null, lostFromException: null, lostAt: null },
    ...facts,
  };
}

type Deposit = ReadQuotedPayment['deposits'][number];

/** A payment as the state of its invoice sees it. */
export type Worth = Pick<ReadQuotedPayment, 'deposits' | 'setAside'> & {
  readonly payment: { currency: string; network: Network; amountRefunded: bigint; status: PaymentStatus };
  readonly quote: { rate: bigint };
};

/** A payment in USDT on ETH at a rate of one, with six decimals, unless `fields` say otherwise. */
export function worth(
  deposits: readonly Deposit[],
  fields: { status?: PaymentStatus; rate?: bigint; currency?: string; network?: Network; setAside?: bigint } = {},
): Worth {
  const { status = 'PENDING', rate = ONE, currency = 'USDT', network = 'ETH', setAside = 0n } = fields;
  return { payment: { currency, network, amountRefunded: 0n, status }, quote: { rate }, deposits, setAside };
}

/** A deposit of the payment's own asset with these facts; amounts in base units. */
export function depositOf(facts: DepositFacts, fields: Partial<Deposit> = {}): Deposit {
  const { amount, status, credited, late, seenAt } = facts;
  return {
    ...{ txHash: '0x', ordinal: 1, network: 'ETH', currency: 'USDT', blockHeight: null, blockTime: null },
    ...{ amount, status, credited, late, seenAt, credits: credited ? 1 : 0, valueRate: null },
    ...fields,
  };
}

/** Every step until the invoice's state is stable. Throws if it never is. */
export function settleInvoice(start: InvoiceFacts, payments: readonly Worth[], now: Date) {
  const steps: InvoiceStep[] = [];
  let facts: InvoiceFacts = { ...start, valueSetAside: worthOfAll(payments).valueSetAside };
  for (let step = nextInvoiceState(facts, payments, now); step; step = nextInvoiceState(facts, payments, now)) {
    if (steps.push(step) > 5) throw new Error(`no end: ${steps.map(({ changes }) => changes.status).join(' ')}`);
    facts = { ...facts, ...step.changes };
  }
  return { facts, steps };
}
