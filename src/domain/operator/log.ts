// Who operates the gateway, and the log of what they did. It guards against mistakes, not against who holds the machine.

import { randomUUID } from 'node:crypto';
import { query, type EntityManager } from '../../database/connection.ts';
import { invalid } from '../../values/errors.ts';
import { newId } from '../../values/id.ts';
import { recordAudit, type AuditedChange } from '../merchants/audit.ts';
import type { Deps } from '../deps.ts';

/** Somebody who operates the gateway, by the name they gave, and what they work with. */
export interface Operator {
  readonly deps: Pick<Deps, 'db' | 'clock' | 'environment' | 'payUrl'>;
  readonly name: string;
}

export type OperatorAction =
  | 'PAYOUTS_READ'
  | 'PAYOUT_FAILED'
  | 'PAYOUT_COMPLETED'
  | 'PAYOUTS_FROZEN'
  | 'PAYOUTS_UNFROZEN'
  | 'FREEZES_READ'
  | 'ASSET_OFF'
  | 'ASSET_ON'
  | 'FUNDS_READ'
  | 'FEES_WITHDRAWN'
  | 'HEALTH_READ'
  | 'RECOVERED';

/** What was done, to what, in plain values. */
export interface Operation {
  readonly action: OperatorAction;
  readonly target?: string | null;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** Records what an operator did, in the transaction that does it. */
export async function recordOperation(
  em: EntityManager,
  { deps, name }: Operator,
  { action, target = null, details = {} }: Operation,
): Promise<void> {
  const now = deps.clock.now();
  await query(em, 'insert into operator_log (id, at, actor, action, target, details) values ($1, $2, $3, $4, $5, $6)', [
    newId('opl', now.getTime()),
    now,
    name,
    action,
    target,
    details,
  ]);
}

/** Records in a merchant's audit log what an operator did that touches them; nothing where it touches none. */
export async function recordForMerchant(
  em: EntityManager,
  { deps }: Operator,
  merchantId: string | null,
  change: AuditedChange,
): Promise<void> {
  if (merchantId === null) return;
  const actor = { merchantId, keyId: null, ip: '127.0.0.1', requestId: randomUUID(), isOperator: true } as const;
  await recordAudit(em, actor, change, deps.clock.now());
}

/** A reason without the blanks around it. Throws 2001 where nothing is left. */
export function reasonOf(text: string): string {
  if (text.trim() === '') throw invalid([{ path: 'reason', message: 'say why' }]);
  return text.trim();
}
