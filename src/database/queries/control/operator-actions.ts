// Operators' actions: stored, decided, and read. Whether one that waits has expired is said by the clock.

import { query, toDate, type EntityManager } from '../../connection.ts';
import type { ActionKind, ActionStatus } from '../../../entities/action-enums.ts';
import type { Network } from '../../../values/assets.ts';

/** An action; its amount is in base units, negative for a loss that is written off. */
export interface OperatorAction {
  readonly id: string;
  readonly kind: ActionKind;
  readonly status: ActionStatus;
  readonly network: Network;
  readonly currency: string;
  readonly amount: bigint;
  /** The payout or payment that it is about, or the payout that it made. */
  readonly target: string | null;
  readonly reason: string;
  readonly requestedBy: string;
  readonly decidedBy: string | null;
  readonly createdAt: Date;
}

type Row = Omit<OperatorAction, 'amount' | 'createdAt'> & { readonly amount: string; readonly createdAt: string };

/** `now` is the statement's parameter for the time. */
const columns = (now: string) => `id, kind,
  case when status = 'PENDING' and expires_at <= ${now} then 'EXPIRED' else status end as status,
  network, currency, amount::text, target, reason, requested_by as "requestedBy", decided_by as "decidedBy",
  created_at as "createdAt"`;

const toAction = ({ amount, createdAt, ...row }: Row): OperatorAction => ({
  ...row,
  amount: BigInt(amount),
  createdAt: toDate(createdAt),
});

/** Stores an action that waits until `expiresAt`, or is done in this transaction. */
export async function insertAction(
  em: EntityManager,
  { id, kind, status, network, currency, amount, target, reason, requestedBy, createdAt }: OperatorAction,
  { expiresAt, now }: { readonly expiresAt: Date; readonly now: Date },
): Promise<void> {
  const decidedAt = status === 'PENDING' ? null : now;
  await query(
    em,
    `insert into operator_action
       (id, kind, status, network, currency, amount, target, reason, requested_by, decided_at, created_at, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
    [id, kind, status, network, currency, amount, target, reason, requestedBy, decidedAt, createdAt, expiresAt],
  );
}

/** An action as it is at a time; null if there is none. */
export async function readAction(em: EntityManager, id: string, now: Date): Promise<OperatorAction | null> {
  const [row] = await query<Row>(em, `select ${columns('$2')} from operator_action where id = $1`, [id, now]);
  return row ? toAction(row) : null;
}

/** The same, locked until the transaction ends. */
export async function lockAction(em: EntityManager, id: string, now: Date): Promise<OperatorAction | null> {
  const lock = `select ${columns('$2')} from operator_action where id = $1 for update`;
  const [row] = await query<Row>(em, lock, [id, now]);
  return row ? toAction(row) : null;
}

/** A decision: who made it, and why it was against the action. */
export interface ActionDecision {
  readonly id: string;
  readonly status: 'DONE' | 'REJECTED';
  readonly target: string | null;
  /** Null where nobody had to decide. */
  readonly decidedBy: string | null;
  readonly reason: string | null;
}

export async function decideAction(
  em: EntityManager,
  { id, status, target, decidedBy, reason }: ActionDecision,
  now: Date,
): Promise<void> {
  await query(
    em,
    `update operator_action set status = $2, target = $3, decided_by = $4, decision_reason = $5, decided_at = $6
     where id = $1`,
    [id, status, target, decidedBy, reason, now],
  );
}

/** Actions, newest first, below the id `before`. */
export async function listActions(
  em: EntityManager,
  { limit, before, now }: { readonly limit: number; readonly before: string | null; readonly now: Date },
): Promise<OperatorAction[]> {
  const rows = await query<Row>(
    em,
    `select ${columns('$3')} from operator_action where $1::text is null or id < $1 order by id desc limit $2`,
    [before, limit, now],
  );
  return rows.map(toAction);
}
