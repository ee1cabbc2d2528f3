// Operators and the log of their actions. A name on the command line protects against mistakes, not against someone who
// controls the machine.

import { randomUUID } from 'node:crypto';
import { query, type EntityManager } from '../../database/connection.ts';
import {
  insertFirstOfHour,
  insertOperation,
  listOperations,
  type OperatorLogEntry,
} from '../../database/queries/control/operator-log.ts';
import { readAnywhere } from '../../database/read-source.ts';
import { invalid } from '../../values/errors.ts';
import { isId } from '../../values/id.ts';
import { recordAudit, type AuditedChange } from '../merchants/audit-log.ts';
import type { Deps } from '../deps.ts';

/** An operator, by the name they gave or their id, and their dependencies. */
export interface Operator {
  readonly deps: Pick<Deps, 'db' | 'clock' | 'environment' | 'payUrl' | 'sendsMail'>;
  readonly name: string;
}

/** What the log says was done. */
export type LoggedAction =
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
  | 'CELLS_READ'
  | 'ACTIONS_READ'
  | 'ACTION_REQUESTED'
  | 'ACTION_APPROVED'
  | 'ACTION_REJECTED'
  | 'SUSPENSE_CREDITED'
  | 'SUSPENSE_WRITTEN_OFF'
  | 'MERCHANTS_READ'
  | 'MERCHANT_INVITED'
  | 'MERCHANT_SUSPENDED'
  | 'MERCHANT_RESTORED'
  | 'FACTORS_RESET'
  | 'OPERATOR_GRANTED'
  | 'OPERATOR_REVOKED'
  | 'OPERATOR_SIGNED_IN'
  | 'CUSTOMER_ERASED'
  | 'RECOVERED';

/** What was done, to what, in plain values. */
export interface Operation {
  readonly action: LoggedAction;
  readonly target?: string | null;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** Records an operator's action, in the transaction that performs it. */
export async function recordOperation(
  em: EntityManager,
  { deps, name }: Pick<Operator, 'name'> & { readonly deps: Pick<Deps, 'clock'> },
  { action, target = null, details = {} }: Operation,
): Promise<void> {
  await insertOperation(em, { at: deps.clock.now(), actor: name, action, target, details });
}

/**
 * Records that an operator looked at something. Pages that are open look every few seconds: what somebody signed in
 * looks at is recorded once an hour.
 */
export async function recordLook(
  em: EntityManager,
  operator: Operator,
  { action, target = null, details = {} }: Operation,
): Promise<void> {
  const look = { at: operator.deps.clock.now(), actor: operator.name, action, target, details };
  await (isId('usr', operator.name) ? insertFirstOfHour(em, look) : insertOperation(em, look));
}

/** What operators did, newest first; what they only looked at is left out. Not recorded itself. */
export async function readOperatorLog(
  { deps }: Pick<Operator, 'deps'>,
  { limit, before }: { readonly limit: number; readonly before: string | null },
): Promise<{ readonly nodes: OperatorLogEntry[]; readonly hasMore: boolean }> {
  const entries = await readAnywhere(deps.db, ({ em }) => listOperations(em, { limit: limit + 1, before }));
  return { nodes: entries.slice(0, limit), hasMore: entries.length > limit };
}

/** Records an operator's action in the audit log of the merchant it affects, if there is one. */
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

/** How an operator is named: by their e-mail address, or by the name that they gave on the command line. */
export async function nameOfOperator(em: EntityManager, name: string): Promise<string> {
  return (await namesOfOperators(em, [name])).get(name) ?? name;
}

/** The same of several; names of the command line are not in it. */
export async function namesOfOperators(
  em: EntityManager,
  names: readonly (string | null)[],
): Promise<ReadonlyMap<string, string>> {
  const ids = [...new Set(names)].filter((name) => name !== null && isId('usr', name));
  if (ids.length === 0) return new Map();
  const rows = await query<{ id: string; email: string }>(em, 'select id, email from person where id = any($1)', [ids]);
  return new Map(rows.map(({ id, email }) => [id, email]));
}

/** Trims a reason. Throws 2001 if it is empty. */
export function reasonOf(text: string): string {
  if (text.trim() === '') throw invalid([{ path: 'reason', message: 'say why' }]);
  return text.trim();
}
