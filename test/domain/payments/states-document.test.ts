// docs/payment-states.md lists exactly the transitions that the state machine makes.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { PAYMENT_EXCEPTIONS, PAYMENT_STATUSES } from '../../../src/entities/enums.ts';
import { findTransitions } from './reachable-states.fixture.ts';

const text = readFileSync(join(process.cwd(), 'docs', 'payment-states.md'), 'utf8');

/** The rows of the table below a heading, as the text of their cells. */
function tableUnder(heading: string): string[][] {
  const section = text.split(/^## /m).find((part) => part.startsWith(`${heading}\n`));
  const lines = (section ?? '').split('\n').filter((line) => line.startsWith('|'));
  return lines.slice(2).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.replaceAll('`', '').trim()),
  );
}

describe('docs/payment-states.md', () => {
  it('describes every status', () => {
    expect(tableUnder('States').map(([status]) => status)).toEqual([...PAYMENT_STATUSES]);
  });

  it('describes every exception', () => {
    expect(tableUnder('Exceptions').map(([exception]) => exception)).toEqual([...PAYMENT_EXCEPTIONS]);
  });

  it('lists exactly the transitions that the chain and the clock can cause', () => {
    const listed = tableUnder('Transitions').flatMap(([from = '', to = '', , event = '']) =>
      from.split(', ').map((state) => `${state} → ${to} by ${event}`),
    );
    expect(listed.toSorted()).toEqual([...findTransitions()].toSorted());
  });
});
