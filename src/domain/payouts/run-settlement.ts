// Pays a merchant's balance out by their rule of settlement, once for each of its periods (contract-people-payouts,
// section D).

import type { EntityManager } from '../../database/connection.ts';
import { readBookedAddresses, type BookedAddress } from '../../database/queries/control/address-book.ts';
import {
  hasReference,
  lockRule,
  readRule,
  recordRun,
  recordSkip,
  type SettlementRuleRow,
} from '../../database/queries/control/settlement-rules.ts';
import { isHalted, lockForSigning } from '../../database/queries/payouts/obstacles.ts';
import { mayBeOlder } from '../../database/queries/payouts/signing-state.ts';
import { assetOf, limitsOf as boundsOf, type Asset } from '../../values/assets.ts';
import { GatewayError } from '../../values/errors.ts';
import { newId } from '../../values/id.ts';
import { addressStatusAt } from '../../values/payouts/address-status.ts';
import { judge, limitsOf, NO_RULES } from '../../values/payouts/policy.ts';
import { duePeriod, settlementAmount, type SettlementPast } from '../../values/payouts/settlement.ts';
import { inTransaction, type Chain, type Deps } from '../deps.ts';
import { recordEvents, settlementSkippedRow } from '../events/record.ts';
import { min } from '../ledger/ledger.ts';
import { lockAvailable } from '../ledger/payout-entries.ts';
import {
  findChain,
  refuseFrozen,
  refuseOutOfService,
  refuseOutsideLimits,
  refuseUnsendable,
} from '../requested-amount.ts';
import { findActive } from './address-book.ts';
import { readPayoutFee, type PayoutFee } from './fees.ts';
import { refusalOf } from './judge-payouts.ts';
import { holdRules, useOf } from './policy-rows.ts';
import { parseRecipient, refuseWallet } from './recipient.ts';
import { readSendable } from './sendable-outputs.ts';
import { firstState, storePayout } from './store.ts';

export type SettlementDeps = Pick<Deps, 'db' | 'clock' | 'environment' | 'chains' | 'approvalMs' | 'signals'>;

/** What a rule did: nothing yet, a payout, or nothing in this period. */
export type SettlementOutcome = 'NOT_DUE' | 'PAID' | 'SKIPPED';

/**
 * Looks at a rule. If it is due and the balance has reached its threshold, what the rule and the policy leave of it is
 * requested as a withdrawal; a payout that would be refused is skipped until the next period, and its merchant is told.
 * While its network is not there, or the book may be an older copy, the rule waits as long as its hour lasts.
 */
export async function runSettlement(deps: SettlementDeps, id: string): Promise<SettlementOutcome> {
  const rule = await readRule(deps.db.em, id);
  if (!rule || duePeriod(rule, pastOf(rule), deps.clock.now()) === null) return 'NOT_DUE';
  const destination = await readDestination(deps, rule);
  if (!destination) return 'NOT_DUE';
  const outcome = await inTransaction(deps, (em) => runLocked(deps, em, rule, destination));
  if (outcome === 'PAID') deps.signals.payouts(assetOf(rule).network);
  if (outcome !== 'NOT_DUE') deps.signals.events();
  return outcome;
}

const UNDER_WAY = ['REQUESTED', 'AWAITING_APPROVAL', 'BROADCAST'];
const UNPAID = ['FAILED', 'REJECTED'];

function pastOf({ runs, lastPeriod, lastStatus, lastAt, skippedAt }: SettlementRuleRow): SettlementPast {
  const failedAt = lastStatus !== null && UNPAID.includes(lastStatus) ? lastAt : null;
  const isUnderWay = lastStatus !== null && UNDER_WAY.includes(lastStatus);
  return { runs, lastPeriod, isUnderWay, failedAt: laterOf(failedAt, skippedAt) };
}

const laterOf = (a: Date | null, b: Date | null): Date | null => (a === null || (b !== null && b > a) ? b : a);

/** Where a rule pays to, and what the node says of it. */
interface RuleDestination {
  readonly booked: BookedAddress;
  readonly chain: Chain;
  readonly fee: PayoutFee;
  /** The most that can be sent there; null for no bound. */
  readonly sendable: bigint | null;
}

/** Asks the node before any row is locked; null while the network is not there. */
async function readDestination(deps: SettlementDeps, rule: SettlementRuleRow): Promise<RuleDestination | null> {
  const chain = findChain('WITHDRAWAL', deps, assetOf(rule));
  const [booked] = await readBookedAddresses(deps.db.em, rule.merchantId, [rule.addressId]);
  if (!chain || !booked) return null;
  try {
    const fee = await readPayoutFee(chain, rule.currency, booked.address);
    return { booked, chain, fee, sendable: await readSendable(deps, chain, booked.address) };
  } catch (error) {
    if (error instanceof GatewayError) return null;
    throw error;
  }
}

async function runLocked(
  deps: SettlementDeps,
  em: EntityManager,
  { id, addressId }: SettlementRuleRow,
  destination: RuleDestination,
): Promise<SettlementOutcome> {
  // Before any row: a freeze either waits for this transaction or is seen by it.
  await lockForSigning(em);
  const rule = await lockRule(em, id);
  const now = deps.clock.now();
  // Another process has it, or it pays elsewhere since the node was asked.
  if (rule?.addressId !== addressId) return 'NOT_DUE';
  const due = duePeriod(rule, pastOf(rule), now);
  if (due === null || addressStatusAt(destination.booked, now) === 'WAITING') return 'NOT_DUE';
  const { network } = assetOf(rule);
  if ((await isHalted(em, network)) || (await mayBeOlder(em, network))) return 'NOT_DUE';
  const reference = `settle/${id}/${due}`;
  const period = rule.schedule === 'ON_THRESHOLD' ? null : due;
  if (await hasReference(em, rule.merchantId, reference)) return 'NOT_DUE';
  const judged = await judgeSettlement(em, rule, destination, now);
  if (judged !== null && !(judged instanceof GatewayError))
    return await pay(deps, em, rule, judged, { reference, period });
  // Below its threshold, a rule without an hour goes on waiting.
  if (judged === null && period === null) return 'NOT_DUE';
  await recordSkip(em, id, { period, reason: judged && judged.message, at: now });
  if (judged !== null) await recordEvents(em, [settlementSkippedRow(rule.merchantId, now)]);
  return 'SKIPPED';
}

/** A withdrawal that may be requested; amounts in base units. */
interface JudgedSettlement {
  readonly amount: bigint;
  readonly fee: PayoutFee;
  readonly address: string;
  readonly addressId: string | null;
  /** Whether it has to be approved first. */
  readonly awaits: boolean;
  readonly now: Date;
}

/**
 * Judges what a rule is to pay, under the lock of its balance: null below the threshold, or why it would be refused.
 */
async function judgeSettlement(
  em: EntityManager,
  rule: SettlementRuleRow,
  destination: RuleDestination,
  now: Date,
): Promise<JudgedSettlement | GatewayError | null> {
  const { merchantId } = rule;
  const asset = assetOf(rule);
  const { booked, fee, chain, sendable } = destination;
  const available = await lockAvailable(em, merchantId, asset);
  if (available < rule.threshold) return null;
  try {
    const { address, key } = parseRecipient(chain.adapter, booked.address);
    await refuseWallet(em, key);
    await refuseFrozen(em, merchantId, asset);
    await refuseOutOfService('WITHDRAWAL', em, asset);
    const addressId = await findActive(em, merchantId, { network: asset.network, key, named: booked.id }, now);
    const rules = (await holdRules(em, merchantId, now)) ?? NO_RULES;
    const use = await useOf(em, merchantId, asset, { now, except: null });
    const most = sendable === null ? maximumOf(asset) : min(sendable, maximumOf(asset));
    const { networkFee } = fee;
    const amount = settlementAmount({ ...rule, available, networkFee, most, limits: limitsOf(rules, asset), use });
    refuseOutsideLimits('WITHDRAWAL', asset, amount);
    refuseUnsendable('WITHDRAWAL', chain.adapter, asset, { address, units: amount });
    const { currency, network } = asset;
    const verdict = judge(rules, { kind: 'WITHDRAWAL', currency, network, amount, isInBook: addressId !== null, use });
    const refusal = refusalOf(asset, verdict);
    return refusal ?? { amount, fee, address, addressId, awaits: verdict.kind === 'AWAIT', now };
  } catch (error) {
    if (error instanceof GatewayError) return error;
    throw error;
  }
}

const maximumOf = (asset: Asset): bigint => boundsOf(asset, true).max;

async function pay(
  deps: SettlementDeps,
  em: EntityManager,
  rule: SettlementRuleRow,
  { fee, awaits, now, ...judged }: JudgedSettlement,
  { reference, period }: { readonly reference: string; readonly period: string | null },
): Promise<SettlementOutcome> {
  const id = newId('wdr', now.getTime());
  await storePayout(deps, em, {
    ...{ id, kind: 'WITHDRAWAL', merchantId: rule.merchantId, paymentId: null, asset: assetOf(rule) },
    ...{ ...judged, ...fee, ...firstState(deps, awaits, now), merchantWithdrawalId: null, now },
    ...{ early: false, beforeSettlement: false, once: null },
    origin: { batchId: null, reference, requestedBy: rule.id },
  });
  await recordRun(em, rule.id, { period, payoutId: id });
  return 'PAID';
}
