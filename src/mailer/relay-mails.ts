// Turns events into mails to the members of a merchant whom they concern: payouts that wait, fail or are rejected,
// settlements that are skipped, and webhooks that are switched off; and to customers. So neither requests nor signers
// write mails, and none needs to know people.

import {
  createMailCursor,
  hasEventsToMail,
  lockMailCursor,
  moveMailCursor,
  readEventsToMail,
  type EventToMail,
} from '../database/queries/mail/event-cursor.ts';
import { query, type EntityManager } from '../database/connection.ts';
import { inTransaction, type Deps } from '../domain/deps.ts';
import type { CustomerMailing } from '../domain/mail/customer-mails.ts';
import { nameOfActor, tellMembers } from '../domain/mail/notices.ts';
import { personBehind, requesterKind } from '../domain/people/requester.ts';
import { payoutFromPayload, type PayoutSnapshot } from '../domain/snapshots/payout.ts';
import type { Worker } from '../loop.ts';
import { CUSTOMER_EVENT_TYPES, tellCustomers } from './relay-customer-mails.ts';

const BATCH = 200;

type RelayDeps = Pick<Deps, 'db' | 'clock' | 'sendsMail'>;

const ASKED = { customerTypes: CUSTOMER_EVENT_TYPES, limit: BATCH };

/** Creates the worker, which several processes may run. Where no mails leave, it only moves on. */
export function createMailRelay(deps: RelayDeps, customers: CustomerMailing): Worker {
  const { em } = deps.db;
  let hasCursor = false;
  return {
    name: 'relay-mails',
    async processNext() {
      if (!hasCursor) await createMailCursor(em);
      hasCursor = true;
      if (!(await hasEventsToMail(em))) return false;
      return (await inTransaction(deps, (inside) => relayBatch(deps, inside, customers))) === BATCH;
    },
  };
}

/** Writes mails and moves the cursor in one transaction: it passes an event exactly when its mails are written. */
async function relayBatch(deps: RelayDeps, em: EntityManager, customers: CustomerMailing): Promise<number> {
  const position = await lockMailCursor(em);
  if (position === null) return 0;
  const events = await readEventsToMail(em, position, { types: Object.keys(TOLD), ...ASKED });
  const last = events.at(-1);
  if (!last) return 0;
  const now = deps.clock.now();
  if (deps.sendsMail === true) {
    for (const event of events) await TOLD[event.type]?.(em, deps, event, now);
    await tellCustomers(em, customers, events, now);
  }
  await moveMailCursor(em, last.position);
  return events.length;
}

type Tell = (em: EntityManager, deps: RelayDeps, event: EventToMail, now: Date) => Promise<void>;
type TellPayout = (em: EntityManager, deps: RelayDeps, told: ToldPayout, now: Date) => Promise<void>;

/** A payout that members are told about. */
interface ToldPayout {
  readonly merchantId: string;
  readonly payout: PayoutSnapshot;
  /** The person who asked for it, or who made the key that did; null if that is unknown. */
  readonly requester: string | null;
  readonly amount: string;
  readonly dedupe: string;
}

const ofPayout =
  (tell: TellPayout): Tell =>
  async (em, deps, { id, merchantId, payload }, now) => {
    if (payload === null) return;
    const payout = payoutFromPayload(payload);
    const amount = `${payout.amount} ${payout.currency} (${payout.network})`;
    const requester = await personBehind(em, payout.requestedBy);
    await tell(em, deps, { merchantId, payout, requester, amount, dedupe: id }, now);
  };

/** A batch is decided whole, and told once: what it is, in place of each of its rows. */
async function wholeOf(
  em: EntityManager,
  { payout, amount, dedupe }: ToldPayout,
): Promise<{ readonly id: string; readonly amount: string; readonly address: string; readonly dedupe: string }> {
  const { id, batchId, address } = payout;
  // Events of before have no batch.
  if (batchId == null) return { id, amount, address, dedupe };
  const [batch] = await query<{ rows: number }>(em, 'select rows from payout_batch where id = $1', [batchId]);
  const others = (batch?.rows ?? 1) - 1;
  return {
    id: batchId,
    amount: others > 0 ? `${amount} + ${String(others)}` : amount,
    address: batchId,
    dedupe: batchId,
  };
}

/**
 * Those who may decide are told, which the requester may not. The maker of a key that asked may not either, and is told
 * all the same: the key may be in other hands.
 */
const awaits: TellPayout = async (em, deps, told, now) => {
  const { merchantId, requester } = told;
  const { status, requestedBy } = told.payout;
  if (status !== 'AWAITING_APPROVAL') return;
  const { amount, address, dedupe } = await wholeOf(em, told);
  const isKey = requestedBy !== null && requesterKind(requestedBy) === 'KEY';
  const by = await nameOfActor(em, { keyId: isKey ? requestedBy : null, personId: requester });
  const audience = { permission: 'APPROVE_PAYOUTS', except: isKey ? [] : [requester] } as const;
  const notice = { merchantId, template: 'PAYOUT_AWAITING', params: { by, amount, address } } as const;
  await tellMembers(em, deps, audience, { ...notice, dedupe: `awaiting/${dedupe}` }, now);
};

const failed: TellPayout = (em, deps, { merchantId, payout, requester, amount, dedupe }, now) => {
  const notice = { merchantId, template: 'PAYOUT_FAILED', params: { id: payout.id, amount }, dedupe } as const;
  return tellMembers(em, deps, { owners: true, members: [requester] }, notice, now);
};

const rejected: TellPayout = async (em, deps, told, now) => {
  const { merchantId, payout, requester } = told;
  const { id, amount, dedupe } = await wholeOf(em, told);
  const params = { id, amount, reason: payout.failureReason ?? '' };
  const notice = { merchantId, template: 'PAYOUT_REJECTED', params, dedupe: `rejected/${dedupe}` } as const;
  await tellMembers(em, deps, { owners: true, members: [requester] }, notice, now);
};

/** The event names no endpoint: it is the one that was switched off then. */
const switchedOff: Tell = async (em, deps, { id, merchantId, at }, now) => {
  const endpoints = await query<{ id: string; url: string }>(
    em,
    'select id, url from webhook_endpoint where merchant_id = $1 and not enabled and disabled_at = $2',
    [merchantId, at],
  );
  for (const endpoint of endpoints) {
    const params = { url: withoutSecrets(endpoint.url) };
    const notice = { merchantId, template: 'WEBHOOK_OFF', params, dedupe: `${id}/${endpoint.id}` } as const;
    await tellMembers(em, deps, { permission: 'MANAGE_WEBHOOKS' }, notice, now);
  }
};

/** Receivers are often given a key in the query of their URL. */
function withoutSecrets(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}

/** The event names no rule: it is the one that was skipped then. */
const settlementSkipped: Tell = async (em, deps, { id, merchantId, at }, now) => {
  const rules = await query<{ id: string; reason: string; editor: string }>(
    em,
    `select id, skip_reason as reason, updated_by as editor from settlement_rule
     where merchant_id = $1 and skipped_at = $2 and skip_reason is not null`,
    [merchantId, at],
  );
  for (const rule of rules) {
    const params = { id: rule.id, reason: rule.reason };
    const notice = { merchantId, template: 'SETTLEMENT_SKIPPED', params, dedupe: `${id}/${rule.id}` } as const;
    await tellMembers(em, deps, { owners: true, members: [rule.editor] }, notice, now);
  }
};

const TOLD: Readonly<Record<string, Tell>> = {
  ...{ 'withdrawal.requested': ofPayout(awaits), 'refund.requested': ofPayout(awaits) },
  ...{ 'withdrawal.failed': ofPayout(failed), 'refund.failed': ofPayout(failed) },
  ...{ 'withdrawal.rejected': ofPayout(rejected), 'refund.rejected': ofPayout(rejected) },
  ...{ 'webhook.disabled': switchedOff, 'settlement.skipped': settlementSkipped },
};
