// Rules of settlement, as merchants see and change them (contract-people-payouts, section D). What pays by them is
// run-settlement.ts.

import type { EntityManager } from '../../database/connection.ts';
import { readBookedAddresses, type BookedAddress } from '../../database/queries/control/address-book.ts';
import {
  readRules,
  removeRule,
  storeRule,
  type SettlementRuleRow,
} from '../../database/queries/control/settlement-rules.ts';
import { formatAmount } from '../../values/amount.ts';
import { assetOf, type Asset } from '../../values/assets.ts';
import { GatewayError, invalid } from '../../values/errors.ts';
import { isId, newId } from '../../values/id.ts';
import type { SettlementTime } from '../../values/payouts/settlement.ts';
import type { PersonActor } from '../actor.ts';
import { inTransaction, type Deps } from '../deps.ts';
import type { IdempotencyKey, IdempotentResult } from '../idempotency.ts';
import { runIdempotent } from '../idempotent-request.ts';
import { recordAudit } from '../merchants/audit-log.ts';
import { roleUnderLock } from '../people/members.ts';
import { toPayoutAddress, type PayoutAddress } from './address-book.ts';
import { requirePolicyFactor } from './judge-payouts.ts';

/** A rule as its merchant sees it; amounts are decimal strings. */
export interface SettlementRuleView extends SettlementTime {
  readonly id: string;
  readonly currency: string;
  readonly network: string;
  readonly address: PayoutAddress;
  readonly threshold: string;
  readonly keep: string;
  readonly enabled: boolean;
}

/** A merchant's rules, by asset. */
export async function listRules(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  merchantId: string,
): Promise<SettlementRuleView[]> {
  const rules = await readRules(db.em, merchantId);
  const ids = rules.map(({ addressId }) => addressId);
  const booked = new Map((await readBookedAddresses(db.em, merchantId, ids)).map((entry) => [entry.id, entry]));
  const now = clock.now();
  return rules.flatMap((rule) => {
    const address = booked.get(rule.addressId);
    return address ? [toView(rule, address, now)] : [];
  });
}

type ShownRule = Omit<SettlementRuleRow, 'merchantId' | 'runs' | 'lastPeriod' | 'skippedAt' | 'lastStatus' | 'lastAt'>;

function toView(rule: ShownRule, booked: BookedAddress, now: Date): SettlementRuleView {
  const { id, currency, network, schedule, hour, day, enabled } = rule;
  const show = (units: bigint) => formatAmount(units, assetOf(rule).decimals);
  const amounts = { threshold: show(rule.threshold), keep: show(rule.keep) };
  return { id, currency, network, address: toPayoutAddress(booked, now), ...amounts, schedule, hour, day, enabled };
}

/** A rule to save; amounts in base units. */
export interface RuleToSave extends SettlementTime {
  readonly asset: Asset;
  readonly addressId: string;
  readonly threshold: bigint;
  readonly keep: bigint;
  readonly enabled: boolean;
}

/**
 * Saves the rule of an asset, in place of the one that it has. Its address may still wait to be used: nothing is paid
 * before. Errors: 2004 for an address that the book does not have, 2001 for one of another network, 1014, 2002, 2003.
 */
export function saveRule(
  deps: Pick<Deps, 'db' | 'clock'>,
  actor: PersonActor,
  { asset, ...rule }: RuleToSave,
  once: IdempotencyKey | null,
): Promise<IdempotentResult<SettlementRuleView>> {
  const { merchantId, personId } = actor;
  const { currency, network } = asset;
  return runIdempotent(deps, once, async (em, now) => {
    await roleUnderLock(em, actor);
    await requirePolicyFactor(em, actor, now);
    const address = await readAddress(em, merchantId, asset, rule.addressId);
    const made = { id: newId('stl', now.getTime()), currency, network, ...rule };
    const id = await storeRule(em, { ...made, merchantId }, { by: personId, at: now });
    const view = toView({ ...made, id }, address, now);
    const { address: shown, ...details } = view;
    const change = { action: 'SETTLEMENT_RULE_SAVED', target: id } as const;
    await recordAudit(em, actor, { ...change, details: { ...details, address: shown.address } }, now);
    return view;
  });
}

async function readAddress(
  em: EntityManager,
  merchantId: string,
  { network }: Asset,
  addressId: string,
): Promise<BookedAddress> {
  const [booked] = isId('adr', addressId) ? await readBookedAddresses(em, merchantId, [addressId]) : [];
  if (!booked || booked.removedAt !== null)
    throw new GatewayError('NOT_FOUND', { message: 'There is no such address in the book' });
  if (booked.network !== network) throw invalid([{ path: 'input.addressId', message: 'is of another network' }]);
  return booked;
}

/** Removes a rule; payouts that it asked for go on. Errors: 2004. */
export function deleteRule(deps: Pick<Deps, 'db' | 'clock'>, actor: PersonActor, id: string): Promise<void> {
  return inTransaction(deps, async (em) => {
    const now = deps.clock.now();
    const removed = isId('stl', id) ? await removeRule(em, actor.merchantId, id, now) : null;
    if (!removed) throw new GatewayError('NOT_FOUND');
    await recordAudit(em, actor, { action: 'SETTLEMENT_RULE_DELETED', target: id, details: removed }, now);
  });
}
