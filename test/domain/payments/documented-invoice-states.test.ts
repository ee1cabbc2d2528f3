// docs/invoice-states.md lists exactly the transitions that an invoice makes.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { INVOICE_STATUSES, PAYMENT_EXCEPTIONS } from '../../../src/entities/enums.ts';
import type { InvoiceFacts } from '../../../src/domain/payments/invoice-state.ts';
import { minute } from './facts.fixture.ts';
import { depositOf, invoice, settleInvoice, worth } from './worth.fixture.ts';
import { transitionsOf, type Machine } from './reachable-states.fixture.ts';
import { tableUnder } from './states-table.fixture.ts';

const text = readFileSync(join(process.cwd(), 'docs', 'invoice-states.md'), 'utf8');

/** Base units of USDT to one of the price's currency. */
const UNIT = 1_000_000n;

/** An invoice whose deposits each pay a payment of their own, all open until the deadline has been read. */
const INVOICE: Machine<InvoiceFacts> = {
  start: invoice(),
  words: { pending: 'OPEN', succeeded: 'SETTLED' },
  settle: (facts, deposits, minutes) => {
    const status = minutes < 30 ? 'PENDING' : 'EXPIRED';
    const payments = deposits.map((deposit) =>
      worth([depositOf({ ...deposit, amount: deposit.amount * UNIT })], { status }),
    );
    return settleInvoice(facts, payments, minute(minutes));
  },
};

describe('docs/invoice-states.md', () => {
  it('describes every status', () => {
    expect(tableUnder(text, 'States').map(([status]) => status)).toEqual([...INVOICE_STATUSES]);
  });

  it('describes every exception', () => {
    expect(tableUnder(text, 'Exceptions').map(([exception]) => exception)).toEqual([...PAYMENT_EXCEPTIONS]);
  });

  it('lists exactly the transitions that the chains and the clock can cause', () => {
    const listed = tableUnder(text, 'Transitions').flatMap(([from = '', to = '', , event = '']) =>
      from.split(', ').map((state) => `${state} → ${to} by ${event}`),
    );
    expect(listed.toSorted()).toEqual([...transitionsOf(INVOICE)].toSorted());
  });
});
