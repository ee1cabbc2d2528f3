// The state of a batch by those of its rows.

import { describe, expect, it } from '@jest/globals';
import { batchStatusOf } from '../../../src/values/payouts/batch-status.ts';

describe('the state of a batch', () => {
  it.each([
    [{ awaiting: 2, rejected: 0, open: 0 }, 'AWAITING_APPROVAL'],
    [{ awaiting: 0, rejected: 2, open: 0 }, 'REJECTED'],
    [{ awaiting: 0, rejected: 0, open: 1 }, 'PROCESSING'],
    [{ awaiting: 0, rejected: 0, open: 0 }, 'FINISHED'],
  ] as const)('of %j is %s', (counts, status) => {
    expect(batchStatusOf(counts)).toBe(status);
  });
});
