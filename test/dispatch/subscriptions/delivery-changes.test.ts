// A delivery's changes, derived from its rows: every step once and in order, whichever transactions recorded them.

import { describe, expect, it } from '@jest/globals';
import type { ChangedDelivery, RecordedAttempt } from '../../../src/database/queries/webhooks/read-delivery-changes.ts';
import { changesWithin } from '../../../src/dispatch/subscriptions/delivery-changes.ts';
import type { DeliveryStatus } from '../../../src/entities/enums.ts';

const delivery = (madeIn: bigint, changedIn = madeIn): ChangedDelivery => ({
  deliveryId: 'dlv_1',
  eventId: 'evt_1',
  endpointId: 'whk_1',
  merchantId: 'mer_1',
  isPrimary: true,
  url: 'https://old.example/',
  endpointUrl: 'https://new.example/',
  madeIn,
  changedIn,
});
const attempts = (...list: [recordedIn: bigint, status: DeliveryStatus][]): RecordedAttempt[] =>
  list.map(([recordedIn, status], index) => ({
    deliveryId: 'dlv_1',
    attempt: index + 1,
    at: new Date(1_000 * (index + 1)),
    url: 'https://tried.example/',
    responseCode: status === 'SUCCESS' ? 200 : 500,
    responseTimeMs: 7,
    responseStart: null,
    error: null,
    status,
    nextRetryAt: status === 'RETRYING' ? new Date(60_000) : null,
    recordedIn,
  }));
const changesBetween = (from: bigint, until: bigint, row: ChangedDelivery, log: RecordedAttempt[]) =>
  changesWithin({ from, until }, row, log).map((change) => `${change.status} ${change.attempts}`);

describe('the changes of a delivery', () => {
  it.each([
    [
      'made, tried, arrived',
      delivery(5n),
      attempts([6n, 'RETRYING'], [9n, 'SUCCESS']),
      'PENDING 0,RETRYING 1,SUCCESS 2',
    ],
    ['made and switched off', delivery(5n, 8n), [], 'PENDING 0,DISABLED 0'],
    ['tried and switched off', delivery(5n, 8n), attempts([6n, 'RETRYING']), 'PENDING 0,RETRYING 1,DISABLED 1'],
    ['switched off by a 410', delivery(5n, 8n), attempts([8n, 'DISABLED']), 'PENDING 0,DISABLED 1'],
    [
      'arrived after it was switched off',
      delivery(5n, 8n),
      attempts([9n, 'SUCCESS']),
      'PENDING 0,DISABLED 0,SUCCESS 1',
    ],
    [
      'switched off by a transaction that had begun before the delivery was made',
      delivery(5n, 4n),
      attempts([6n, 'RETRYING'], [7n, 'DISABLED']),
      'PENDING 0,RETRYING 1,DISABLED 1,DISABLED 2',
    ],
  ])('%s', (_name, row, log, story) => {
    expect(changesBetween(0n, 100n, row, log).join()).toBe(story);
    // The changes are the same wherever the reads cut them.
    for (let cut = 0n; cut <= 12n; cut += 1n)
      for (let second = cut; second <= 12n; second += 1n) {
        const parts = [
          changesBetween(0n, cut, row, log),
          changesBetween(cut, second, row, log),
          changesBetween(second, 100n, row, log),
        ];
        expect(parts.flat().join()).toBe(story);
      }
  });

  it('a step waits for those before it, even where its transaction was over earlier', () => {
    expect(changesBetween(0n, 5n, delivery(5n, 4n), [])).toEqual([]);
    expect(changesBetween(5n, 6n, delivery(5n, 4n), [])).toEqual(['PENDING 0', 'DISABLED 0']);
  });

  it('each step shows the delivery as of then: its log, its next retry, and the URL the next attempt goes to', () => {
    const log = attempts([6n, 'RETRYING'], [9n, 'FAILED']);
    const [made, tried, failed] = changesWithin({ from: 0n, until: 10n }, delivery(5n), log);
    expect(made).toMatchObject({
      url: 'https://new.example/',
      lastAttemptAt: null,
      responseCode: null,
      attemptLog: [],
    });
    expect(tried).toMatchObject({ url: 'https://new.example/', nextRetryAt: new Date(60_000), responseCode: 500 });
    expect(tried?.attemptLog).toHaveLength(1);
    expect(failed).toMatchObject({ url: 'https://tried.example/', nextRetryAt: null, lastAttemptAt: new Date(2_000) });
    expect(failed?.attemptLog).toHaveLength(2);
  });
});
