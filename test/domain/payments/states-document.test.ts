// docs/payment-states.md lists exactly the transitions that the state machine makes.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { PAYMENT_EXCEPTIONS, PAYMENT_STATUSES } from '../../../src/entities/enums.ts';
import { findTransitions } from './reachable-states.fixture.ts';
import { tableUnder } from './states-table.fixture.ts';

const text = readFileSync(join(process.cwd(), 'docs', 'payment-states.md'), 'utf8');

describe('docs/payment-states.md', () => {
  it('describes every status', () => {
    expect(tableUnder(text, 'States').map(([status]) => status)).toEqual([...PAYMENT_STATUSES]);
  });

  it('describes every exception', () => {
    expect(tableUnder(text, 'Exceptions').map(([exception]) => exception)).toEqual([...PAYMENT_EXCEPTIONS]);
  });

  it('lists exactly the transitions that the chain and the clock can cause', () => {
    const listed = tableUnder(text, 'Transitions').flatMap(([from = '', to = '', , event = '']) =>
      from.split(', ').map((state) => `${state} → ${to} by ${event}`),
    );
    expect(listed.toSorted()).toEqual([...findTransitions()].toSorted());
  });
});
