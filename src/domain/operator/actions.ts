// What operators do with money: at once, or above a threshold once another operator has approved it. It is checked anew
// then, and runs in the transaction of the approval (contract-people-payouts, section B).

import type { EntityManager } from '../../database/connection.ts';
import {
  decideAction,
  insertAction,
  listActions,
  lockAction,
  readAction,
  type OperatorAction,
} from '../../database/queries/control/operator-actions.ts';
import { lockForSigning } from '../../database/queries/payouts/obstacles.ts';
import type { ActionKind } from '../../entities/action-enums.ts';
import { formatAmount } from '../../values/amount.ts';
import { needsApproval, type ApprovalThresholds } from '../../values/approval-thresholds.ts';
import { assetOf, type Network } from '../../values/assets.ts';
import { GatewayError } from '../../values/errors.ts';
import { isId, newId } from '../../values/id.ts';
import { inTransaction } from '../deps.ts';
import type { IdempotencyKey, IdempotentResult } from '../idempotency.ts';
import { runIdempotent } from '../idempotent-request.ts';
import { creditFromSuspenseIn, writeOffSuspenseIn } from '../ledger/suspense.ts';
import { tellOperators } from '../mail/notices.ts';
import { requireAsset } from '../requested-amount.ts';
import { planAction, type ActionRequest } from './action-plans.ts';
import { withdrawFeesIn, type ColdPlace } from './fees.ts';
import { nameOfOperator, reasonOf, recordForMerchant, recordLook, recordOperation, type Operator } from './log.ts';
import { failStuckPayoutIn } from './payouts.ts';

export type { OperatorAction } from '../../database/queries/control/operator-actions.ts';
export type { ActionRequest } from './action-plans.ts';

/** What actions are bound to. */
export interface ActionRules {
  readonly approvalAbove: ApprovalThresholds;
  /** Where the fees of a network may go. Errors: 4002 if that is nowhere. */
  coldPlaceOf(network: Network): Promise<ColdPlace> | ColdPlace;
}

/** An action as it is kept for repeats of its request, in JSON. */
type StoredAction = Omit<OperatorAction, 'amount'> & { readonly amount: string };

const toStored = ({ amount, ...action }: OperatorAction): StoredAction => ({ ...action, amount: amount.toString() });

const OPEN_FOR_MS = 72 * 3_600_000;

/**
 * Requests an action: up to the threshold of its asset it is done at once, above it waits for another operator. Errors:
 * 2001, 2002, 2003, 2004, 3001, and those of what it does: 4001, 4002, 4003, 4008, 4009.
 */
export async function requestAction(
  operator: Operator,
  rules: ActionRules,
  request: ActionRequest,
  idempotencyKey: IdempotencyKey | null = null,
): Promise<IdempotentResult<OperatorAction>> {
  const { deps, name } = operator;
  // Before the transaction, as a network may have to be opened.
  const place = request.kind === 'WITHDRAW_FEES' ? await placeFor(rules, planOfPlace(request)) : null;
  const requested = await runIdempotent<StoredAction>(deps, idempotencyKey, async (em, now) => {
    // Before any row, as in the signer.
    await lockForSigning(em);
    const plan = await planAction(em, request);
    const id = newId('act', now.getTime());
    const waits = needsApproval(rules.approvalAbove, plan, plan.amount);
    const action: OperatorAction = {
      ...{ id, ...plan, requestedBy: name, decidedBy: null, createdAt: now },
      status: waits ? 'PENDING' : 'DONE',
    };
    await insertAction(em, action, { expiresAt: new Date(now.getTime() + OPEN_FOR_MS), now });
    await recordOperation(em, operator, { action: 'ACTION_REQUESTED', target: id, details: detailsOf(action) });
    if (waits) {
      await tellOthers(em, operator, action, now);
      return toStored(action);
    }
    const target = await run(em, operator, action, place);
    await decideAction(em, { id, status: 'DONE', target, decidedBy: null, reason: null }, now);
    return toStored({ ...action, target });
  });
  const { amount, createdAt, ...rest } = requested.result;
  return { ...requested, result: { ...rest, amount: BigInt(amount), createdAt: new Date(createdAt) } };
}

/**
 * Approves an action of another operator, and does it. Errors: 2004; 4008 if it does not wait any more; 4010 for their
 * own; and those of what it does, after which it waits on.
 */
export async function approveAction(operator: Operator, rules: ActionRules, id: string): Promise<OperatorAction> {
  const { deps, name } = operator;
  const asked = isId('act', id) ? await readAction(deps.db.em, id, deps.clock.now()) : null;
  if (!asked) throw notFound(id);
  const place = await placeFor(rules, asked);
  return inTransaction(deps, async (em) => {
    await lockForSigning(em);
    const action = await lockPending(operator, em, id);
    if (action.requestedBy === name) throw new GatewayError('SECOND_PERSON');
    await recordOperation(em, operator, { action: 'ACTION_APPROVED', target: id, details: detailsOf(action) });
    const target = await run(em, operator, action, place);
    const decided = { id, status: 'DONE', target, decidedBy: name, reason: null } as const;
    await decideAction(em, decided, deps.clock.now());
    return { ...action, status: 'DONE', target, decidedBy: name };
  });
}

/** Rejects an action that waits; the operator who requested it may, too. Errors: 2001, 2004, 4008. */
export async function rejectAction(operator: Operator, id: string, text: string): Promise<OperatorAction> {
  const { deps, name } = operator;
  const reason = reasonOf(text);
  return inTransaction(deps, async (em) => {
    const action = await lockPending(operator, em, id);
    const { target } = action;
    await decideAction(em, { id, status: 'REJECTED', target, decidedBy: name, reason }, deps.clock.now());
    const details = { ...detailsOf(action), reason };
    await recordOperation(em, operator, { action: 'ACTION_REJECTED', target: id, details });
    return { ...action, status: 'REJECTED', decidedBy: name };
  });
}

/** A page of actions, newest first, below the id `before`. */
export async function findActions(
  operator: Operator,
  { limit, before }: { readonly limit: number; readonly before: string | null },
): Promise<{ readonly nodes: OperatorAction[]; readonly hasMore: boolean }> {
  const { deps } = operator;
  return inTransaction(deps, async (em) => {
    await recordLook(em, operator, { action: 'ACTIONS_READ' });
    const rows = await listActions(em, { limit: limit + 1, before, now: deps.clock.now() });
    return { nodes: rows.slice(0, limit), hasMore: rows.length > limit };
  });
}

async function lockPending({ deps }: Operator, em: EntityManager, id: string): Promise<OperatorAction> {
  const action = isId('act', id) ? await lockAction(em, id, deps.clock.now()) : null;
  if (!action) throw notFound(id);
  if (action.status !== 'PENDING')
    throw new GatewayError('ALREADY_DECIDED', { message: `The action ${id} is ${action.status} already` });
  return action;
}

const notFound = (id: string) => new GatewayError('NOT_FOUND', { message: `There is no action ${id}` });

const placeFor = async (
  rules: ActionRules,
  { kind, network }: { readonly kind: ActionKind; readonly network: Network },
): Promise<ColdPlace | null> => (kind === 'WITHDRAW_FEES' ? await rules.coldPlaceOf(network) : null);

/** Which network's cold address fees go to. Errors: 3001. */
const planOfPlace = ({ kind, currency, network }: Extract<ActionRequest, { kind: 'WITHDRAW_FEES' }>) => ({
  kind,
  network: requireAsset(currency, network).network,
});

const shown = ({ amount, currency, network }: OperatorAction) =>
  formatAmount(amount, assetOf({ currency, network }).decimals);

const detailsOf = (action: OperatorAction) => {
  const { kind, currency, network, target, reason } = action;
  return { kind, amount: shown(action), currency, network, of: target, reason };
};

/** Tells the operators who may approve an action. */
async function tellOthers(
  em: EntityManager,
  { deps, name }: Operator,
  action: OperatorAction,
  now: Date,
): Promise<void> {
  const { id, kind, currency, network, reason } = action;
  const by = await nameOfOperator(em, name);
  const params = { by, action: kind, amount: `${shown(action)} ${currency} (${network})`, reason };
  const notice = { template: 'ACTION_PENDING', params, dedupe: `action_pending/${id}`, except: [name] } as const;
  await tellOperators(em, deps, notice, now);
}

/** Does an action in the current transaction; returns what it is about, or the payout that it made. */
async function run(
  em: EntityManager,
  operator: Operator,
  action: OperatorAction,
  place: ColdPlace | null,
): Promise<string | null> {
  const { id, kind, currency, network, amount, target, reason } = action;
  const [reference, asset] = [`action/${id}`, assetOf({ currency, network })];
  const signed = { operator: action.requestedBy, note: reason, reference, currency, network, amount: shown(action) };
  const details = { amount: shown(action), currency, network, reason };
  switch (kind) {
    case 'FAIL_PAYOUT':
      await failStuckPayoutIn(em, operator, { id: target ?? '', reason });
      return target;
    case 'CREDIT_SUSPENSE': {
      const { merchantId } = await creditFromSuspenseIn(em, operator.deps, { ...signed, paymentId: target ?? '' });
      const change = { action: 'SUSPENSE_CREDITED', target, details } as const;
      await recordOperation(em, operator, change);
      await recordForMerchant(em, operator, merchantId, change);
      return target;
    }
    case 'WRITE_OFF_SUSPENSE':
      await writeOffSuspenseIn(em, operator.deps, signed);
      await recordOperation(em, operator, { action: 'SUSPENSE_WRITTEN_OFF', target: id, details });
      return null;
    case 'WITHDRAW_FEES':
      if (place === null) throw new Error('Fees are withdrawn without a cold address');
      return (await withdrawFeesIn(em, operator, place, { asset, units: amount, reference })).id;
  }
}
