// What an operator asks for, read and judged as far as it can be before it is done: the asset, the amount, and what it
// is about.

import { query, type EntityManager } from '../../database/connection.ts';
import type { ActionKind } from '../../entities/action-enums.ts';
import { formatAmount } from '../../values/amount.ts';
import { parseNetwork, type Asset, type Network } from '../../values/assets.ts';
import { GatewayError, invalid } from '../../values/errors.ts';
import type { PayoutStatus } from '../../values/payouts/state.ts';
import { lockOwnFunds, withdrawableOf } from '../ledger/gateway-funds.ts';
import { readUnits, requireAsset } from '../requested-amount.ts';
import { reasonOf } from './log.ts';
import { OPEN } from './payouts.ts';

/** A request, as operators make it; amounts are decimal strings. */
export type ActionRequest =
  | { readonly kind: 'FAIL_PAYOUT'; readonly id: string; readonly reason: string }
  | ({ readonly kind: 'CREDIT_SUSPENSE'; readonly paymentId: string; readonly reason: string } & Named)
  | ({ readonly kind: 'WRITE_OFF_SUSPENSE'; readonly reason: string } & Named)
  | ({ readonly kind: 'WITHDRAW_FEES' } & Named);

interface Named {
  readonly network: string;
  readonly currency: string;
  /** A leading minus for a loss that is written off; `max` for all fees that may be withdrawn. */
  readonly amount: string;
}

/** What is to be done. */
export interface ActionPlan {
  readonly kind: ActionKind;
  readonly network: Network;
  readonly currency: string;
  /** In base units. */
  readonly amount: bigint;
  readonly target: string | null;
  readonly reason: string;
}

/** Reads a request. Errors: 2001, 2004, 3001, 4001 for more fees than may leave, 4008 for a payout that ended. */
export async function planAction(em: EntityManager, request: ActionRequest): Promise<ActionPlan> {
  switch (request.kind) {
    case 'FAIL_PAYOUT':
      return planFailure(em, request.id, reasonOf(request.reason));
    case 'CREDIT_SUSPENSE': {
      const { kind, paymentId: target } = request;
      const found = await query(em, 'select from payment where id = $1', [storable(target)]);
      if (found.length === 0) throw new GatewayError('NOT_FOUND', { message: `There is no payment ${target}` });
      return { kind, ...amountOf(request), target, reason: reasonOf(request.reason) };
    }
    case 'WRITE_OFF_SUSPENSE':
      return { kind: request.kind, ...amountOf(request), target: null, reason: reasonOf(request.reason) };
    case 'WITHDRAW_FEES':
      return planFees(em, request);
  }
}

/** PostgreSQL cannot even compare a text with NUL. */
const storable = (id: string): string => (id.includes('\0') ? '' : id);

async function planFailure(em: EntityManager, id: string, reason: string): Promise<ActionPlan> {
  const [payout] = await query<{ status: PayoutStatus; currency: string; network: string; amount: string }>(
    em,
    'select status, currency, network, amount::text from payout where id = $1',
    [storable(id)],
  );
  const network = payout && parseNetwork(payout.network);
  if (!payout || !network) throw new GatewayError('NOT_FOUND', { message: `There is no payout ${id}` });
  if (!OPEN.includes(payout.status))
    throw new GatewayError('ALREADY_DECIDED', { message: `The payout ${id} is ${payout.status} already` });
  const { currency, amount } = payout;
  return { kind: 'FAIL_PAYOUT', network, currency, amount: BigInt(amount), target: id, reason };
}

function amountOf(named: Named & { readonly kind: ActionKind }): Pick<ActionPlan, 'network' | 'currency' | 'amount'> {
  const { currency, network } = requireAsset(named.currency, named.network);
  const isLoss = named.kind === 'WRITE_OFF_SUSPENSE' && named.amount.startsWith('-');
  const text = isLoss ? named.amount.slice(1) : named.amount;
  const units = readUnits('SUSPENSE', requireAsset(currency, network), text);
  return { network, currency, amount: isLoss ? -units : units };
}

async function planFees(em: EntityManager, { network, currency, amount: text }: Named): Promise<ActionPlan> {
  const asset = requireAsset(currency, network);
  const requested = text === 'max' ? null : readUnits('FEES', asset, text);
  const withdrawable = withdrawableOf(await lockOwnFunds(em, asset));
  const amount = requested ?? withdrawable;
  if (amount > withdrawable || amount === 0n) throw tooMuch(asset, withdrawable);
  const reason = `to ${asset.network}_COLD_ADDRESS`;
  return { kind: 'WITHDRAW_FEES', network: asset.network, currency: asset.currency, amount, target: null, reason };
}

function tooMuch({ currency, network, decimals }: Asset, units: bigint): GatewayError {
  const message = `${formatAmount(units, decimals)} ${currency} on ${network} may be withdrawn, and no more`;
  return new GatewayError('INSUFFICIENT_FUNDS', { message });
}

/** Throws 2001 for a suspense request whose payment does not fit its kind. */
export function refusePayment(isCredit: boolean, paymentId: string | null): void {
  if (isCredit === (paymentId !== null)) return;
  throw invalid([{ path: 'input.paymentId', message: isCredit ? 'is required' : 'is for credits alone' }]);
}
