// The paths of the dispatcher: numbering, the relay, sending webhooks, and live updates.

import { readQueueDepths } from '../../../../src/database/queries/events/queue-depths.ts';
import * as log from '../../../../src/database/queries/events/read-event-log.ts';
import { claimDeliveries, type Claim } from '../../../../src/database/queries/webhooks/claim-deliveries.ts';
import { countAttemptsOfHours } from '../../../../src/database/queries/webhooks/endpoint-hours.ts';
import { disableEndpoint } from '../../../../src/database/queries/webhooks/disable-deliveries.ts';
import { lockEndpoint, setFailingSince } from '../../../../src/database/queries/webhooks/endpoint-failures.ts';
import { oldestDeliverySeconds } from '../../../../src/database/queries/webhooks/oldest-delivery.ts';
import * as changes from '../../../../src/database/queries/webhooks/read-delivery-changes.ts';
import { recordAttempts } from '../../../../src/database/queries/webhooks/record-attempts.ts';
import { releaseClaims } from '../../../../src/database/queries/webhooks/release-claims.ts';
import { createEventNumbering } from '../../../../src/dispatch/outbox/number-events.ts';
import { createRelay } from '../../../../src/dispatch/outbox/relay.ts';
import { readPayment } from '../../../../src/database/queries/payments/read-payments.ts';
import { endpointOf, idOf, merchantOf } from './history.fixture.ts';
import type { Path, World } from './world.fixture.ts';

async function number({ deps }: World): Promise<void> {
  const numbering = createEventNumbering(deps);
  while (await numbering.processNext());
}

async function relay({ deps }: World): Promise<void> {
  const worker = createRelay(deps);
  while (await worker.processNext());
}

/** Claims from the busy lanes, records one half, and gives the other back. */
async function send({ db, commit, now }: World): Promise<void> {
  const claimed: Claim[] = [];
  const lane = { closedLanes: [endpointOf(399)], closedMerchants: [], failingLanes: [endpointOf(1)], failingLimit: 2 };
  for (let nth = 0; nth < 3; nth += 1) {
    const share = (lanes: readonly unknown[]) => lanes.map(() => 6);
    const { claims } = await claimDeliveries(db.pool, {
      choice: lane,
      share,
      lease: `lease-of-test-${nth}`,
      leaseMs: 60_000,
    });
    claimed.push(...claims);
  }
  if (claimed.length === 0) throw new Error('Nothing was claimed');
  const half = claimed.slice(0, claimed.length / 2);
  const finished = half.map((claim) => ({
    ...{
      lane: claim.lane,
      lease: claim.lease,
      deliveryId: claim.deliveryId,
      attempt: claim.attempt,
      at: now,
      url: claim.url,
    },
    ...{ responseCode: 500, responseTimeMs: 10, responseStart: null, error: null, status: 'RETRYING' as const },
    nextRetryAt: new Date(now.getTime() + 1_000),
  }));
  const recorded = await recordAttempts(db.em, finished);
  if (recorded.size !== half.length) throw new Error('Not all attempts were recorded');
  const hour = {
    hour: new Date(Math.floor(now.getTime() / 3_600_000) * 3_600_000),
    succeeded: 1,
    failed: 0,
    took: [1, 0],
  };
  const counted = { ...hour, failedAt: null, responseCode: null, error: null };
  for (let times = 0; times < 2; times += 1)
    await countAttemptsOfHours(db.em, [{ endpointId: endpointOf(0), ...counted }]);
  await releaseClaims(db.em, claimed.slice(half.length));
  await setFailingSince(db.em, new Map([[endpointOf(0), now]]));
  await commit((em) => lockEndpoint(em, endpointOf(0)));
}

async function disable({ commit, now }: World): Promise<void> {
  await commit((em) => disableEndpoint(em, endpointOf(3), { reason: 'it is gone', at: now }));
}

async function follow({ db, size, lastDone }: World): Promise<void> {
  const { pool, em } = db;
  await log.readLastPosition(pool);
  await log.readLastSequence(pool, merchantOf(0));
  await log.readEventsAfter(pool, 2 * size.orders - 400, 100);
  await log.readChainHeights(pool);
  await readPayment(em, idOf('ord', lastDone - (lastDone % 4)), merchantOf(0));
  await changes.readOldestRunning(pool);
  // One transaction's changes: how many end between two polls is a matter of how busy the server is.
  const { rows } = await pool.query<{ newest: string }>('select max(recorded_in)::text as newest from webhook_change');
  const from = BigInt(rows[0]?.newest ?? 0);
  const ids = await changes.readChangedDeliveryIds(pool, { from, until: from + 1n }, [merchantOf(0)]);
  await changes.readChangedDeliveries(pool, ids.length > 0 ? ids.slice(0, 50) : [idOf('dlv', 4)]);
}

async function watch({ db }: World): Promise<void> {
  await readQueueDepths(db.em);
  await oldestDeliverySeconds(db.em);
}

/** In this order: each needs what the one before has left. */
export const DISPATCH_PATHS: readonly Path[] = [
  { name: 'the queues are looked at', run: watch },
  { name: 'events are numbered', run: number },
  { name: 'events are relayed', run: relay },
  { name: 'webhooks are sent', run: send },
  { name: 'an endpoint is disabled', run: disable },
  { name: 'live updates are read', run: follow },
];
