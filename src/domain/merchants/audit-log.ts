// A merchant's audit log: who did what, and from where. An entry is written in the transaction of what it records.

import { query, toDate, type EntityManager } from '../../database/connection.ts';
import { newId } from '../../values/id.ts';
import { insertOperation } from '../../database/queries/control/operator-log.ts';
import { readAnywhere } from '../../database/read-source.ts';
import type { Actor, SelfActor } from '../actor.ts';
import type { Deps } from '../deps.ts';

export const AUDIT_ACTIONS = [
  'API_KEY_CREATED',
  'API_KEY_CHANGED',
  'API_KEY_REVOKED',
  'SETTINGS_CHANGED',
  'WEBHOOK_CREATED',
  'WEBHOOK_CHANGED',
  'WEBHOOK_DELETED',
  'WEBHOOK_SECRET_ROTATED',
  'WITHDRAWAL_REQUESTED',
  'REFUND_REQUESTED',
  'BATCH_REQUESTED',
  'PAYMENT_ACCEPTED',
  'PAYMENT_CANCELED',
  'INVOICE_ACCEPTED',
  'INVOICE_CANCELED',
  'PAYMENT_LINK_CREATED',
  'PAYMENT_LINK_CHANGED',
  'OWNER_SIGNED_IN',
  'OWNER_SIGNED_OUT',
  'PASSWORD_CHANGED',
  'PASSWORD_RESET',
  'SESSION_ENDED',
  'PAYOUT_FAILED',
  'PAYOUT_COMPLETED',
  'PAYOUTS_FROZEN',
  'PAYOUTS_UNFROZEN',
  'PAYOUT_ADDRESS_ADDED',
  'PAYOUT_ADDRESS_REMOVED',
  'PAYOUT_POLICY_CHANGED',
  'PAYOUT_POLICY_CHANGE_CANCELED',
  'SETTLEMENT_RULE_SAVED',
  'SETTLEMENT_RULE_DELETED',
  'PAYOUT_APPROVED',
  'PAYOUT_REJECTED',
  'MERCHANT_ADDED',
  'MERCHANT_SUSPENDED',
  'SUSPENSE_CREDITED',
  'MERCHANT_RESTORED',
  'MEMBER_INVITED',
  'INVITATION_REVOKED',
  'MEMBER_JOINED',
  'MEMBER_CHANGED',
  'MEMBER_REMOVED',
  'ROLE_CREATED',
  'ROLE_CHANGED',
  'ROLE_DELETED',
  'FACTOR_ADDED',
  'FACTOR_REMOVED',
  'RECOVERY_CODES_MADE',
  'IDENTITY_LINKED',
  'IDENTITY_REMOVED',
  'EMAIL_CHANGED',
  'EMAIL_REVERTED',
  'CUSTOMER_ERASED',
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** A change: the id of what was changed, and details as plain values; never a secret. */
export interface AuditedChange {
  readonly action: AuditAction;
  readonly target: string | null;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** Records what somebody changed about themselves: for their merchant, or in the operator's log if they are one. */
export async function recordOwnChange(
  em: EntityManager,
  { merchantId, ...actor }: SelfActor,
  change: AuditedChange,
  now: Date,
): Promise<void> {
  if (merchantId !== null) return recordAudit(em, { ...actor, merchantId }, change, now);
  const { action, target, details = {} } = change;
  await insertOperation(em, { at: now, actor: actor.personId, action, target, details });
}

/** Records a change in the current transaction. */
export async function recordAudit(
  em: EntityManager,
  actor: Actor,
  { action, target, details = {} }: AuditedChange,
  now: Date,
): Promise<void> {
  const { merchantId, keyId, personId, ip, requestId, isOperator = false } = actor;
  await query(
    em,
    `insert into audit_log (id, merchant_id, at, actor, ip, request_id, action, target, details)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      newId('aud', now.getTime()),
      merchantId,
      now,
      keyId ?? personId ?? (isOperator ? 'operator' : 'system'),
      ip,
      requestId,
      action,
      target,
      details,
    ],
  );
}

/** Records a change by the actor of these dependencies; nothing when the gateway acts on its own. */
export async function recordActed(
  em: EntityManager,
  { actor }: Pick<Deps, 'actor'>,
  change: AuditedChange,
  now: Date,
): Promise<void> {
  if (actor) await recordAudit(em, actor, change, now);
}

/** Sorts after every id. */
const LAST = '~';

/** A row of the audit log. */
export interface AuditEntry {
  readonly id: string;
  readonly at: Date;
  /** An API key's id, a person's id, `system` or `operator`; in rows of before there were people, `owner`. */
  readonly actor: string;
  readonly ip: string;
  readonly requestId: string;
  readonly action: AuditAction;
  readonly target: string | null;
  readonly details: Readonly<Record<string, unknown>>;
}

/** A page of a merchant's audit log, newest first, below the id `before`. */
export async function findAuditEntries(
  { db }: Pick<Deps, 'db'>,
  merchantId: string,
  { limit, before }: { limit: number; before: string | null },
): Promise<{ nodes: AuditEntry[]; hasMore: boolean }> {
  const rows = await readAnywhere(db, ({ em }) =>
    query<Omit<AuditEntry, 'at'> & { at: string }>(
      em,
      `select id, at, actor, ip, request_id as "requestId", action, target, details from audit_log
       where (merchant_id, id) > ($1, '') and (merchant_id, id) < ($1, $2)
       order by merchant_id desc, id desc limit $3`, // in full, so that the planner has one index to go by
      [merchantId, before ?? LAST, limit + 1],
    ),
  );
  const nodes = rows.slice(0, limit).map((row) => ({ ...row, at: toDate(row.at) }));
  return { nodes, hasMore: rows.length > limit };
}
