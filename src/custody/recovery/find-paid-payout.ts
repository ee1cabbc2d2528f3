// Finds the payout that an unknown transaction paid. Any doubt is left to the operator, who is shown the candidates.

import { findPaidCandidates, type PaidCandidate } from '../../database/queries/payouts/paid-candidates.ts';
import type { MovedUnits, UnknownTransaction } from '../../database/queries/chain/unknown-transactions.ts';
import { NETWORKS } from '../../values/assets.ts';
import { agreed } from '../transactions/finality.ts';
import type { ExplanationContext } from './explanation.ts';
import { standingOf, type Standing } from './standing.ts';

/** What the operator answers for a transaction that paid none of the book's payouts. */
export const NO_PAYOUT = 'none';

/** What a transaction moved to others: in total, and directly, not through contracts that it called. */
export interface Moved {
  readonly all: readonly MovedUnits[];
  readonly direct: readonly MovedUnits[];
}

/** A payout that may have been paid by a transaction. */
interface Fit {
  readonly candidate: PaidCandidate;
  /** The recipient, in canonical form. */
  readonly key: string;
  /**
   * The single movement by the transaction itself that matches exactly; null if only a sum matches, or a contract made
   * it.
   */
  readonly exactMovement: MovedUnits | null;
  /** The payout's own transactions that may have paid it instead, or still may. */
  readonly rivals: readonly { readonly txHash: string; readonly standing: Standing }[];
}

/** A payout, and what paid it. */
export interface Paid {
  readonly payoutId: string;
  readonly addressKey: string;
  readonly currency: string;
  readonly amount: bigint;
}

/** The payout that the transaction paid; null if none, `UNDECIDED` if the operator has to say. */
export async function findPaidPayout(
  context: ExplanationContext,
  unknown: UnknownTransaction,
  moved: Moved,
): Promise<Paid | null | 'UNDECIDED'> {
  const chosen = context.attached.get(unknown.txHash);
  if (chosen === NO_PAYOUT) return null;
  const fits = await findFits(context, moved);
  if (chosen !== undefined) return choose(fits, unknown, chosen);
  const [fit] = fits;
  if (!fit) return null;
  const isCertain = fits.length === 1 && fit.rivals.length === 0 && unknown.block !== null;
  if (isCertain && fit.exactMovement) {
    if (await isConfirmed(context, unknown, fit.exactMovement)) return paidOf(fit);
    context.say(`  ${unknown.txHash} is not in the block where it was seen: run this again`);
    return 'UNDECIDED';
  }
  reportDoubt(context, unknown, fits);
  return 'UNDECIDED';
}

const paidOf = ({ candidate: { id, currency, amount }, key }: Fit): Paid => ({
  payoutId: id,
  addressKey: key,
  currency,
  amount,
});

async function findFits(
  { em, network, adapter, requiredConfirmations }: ExplanationContext,
  moved: Moved,
): Promise<Fit[]> {
  const fits: Fit[] = [];
  const found = await findPaidCandidates(em, network, {
    currencies: [...new Set(moved.all.map(({ currency }) => currency))],
    amounts: amountsOf(moved),
  });
  for (const candidate of found) {
    const key = adapter.parseAddress(candidate.address)?.key;
    if (key === undefined || !mayPay(moved, key, candidate)) continue;
    const standings = [];
    for (const own of candidate.own)
      standings.push({ txHash: own.txHash, standing: await standingOf(adapter, requiredConfirmations, own) });
    if (standings.some(({ standing }) => standing === 'PAID')) continue;
    const rivals = standings.filter(({ standing }) => standing !== 'DEAD');
    fits.push({
      candidate,
      key,
      rivals,
      exactMovement: moved.direct.find((one) => matchesExactly(one, key, candidate)) ?? null,
    });
  }
  return fits;
}

/** Whether a movement went to that recipient and has exactly that amount. */
export const matchesExactly = (
  one: MovedUnits,
  key: string,
  { currency, amount }: Omit<Paid, 'payoutId' | 'addressKey'>,
): boolean => one.addressKey === key && one.currency === currency && one.amount === amount;

const sumOf = (moved: readonly MovedUnits[]): bigint => moved.reduce((sum, { amount }) => sum + amount, 0n);

/**
 * The amounts that a paid payout can have: each movement, each recipient's total, and the total that left, a token's
 * fee included.
 */
function amountsOf({ all, direct }: Moved): bigint[] {
  const byRecipient = Map.groupBy(all, ({ addressKey, currency }) => `${addressKey}/${currency}`);
  const byCurrency = Map.groupBy(direct, ({ currency }) => currency);
  const sums = [...byRecipient.values(), ...byCurrency.values()].map(sumOf);
  return [...new Set([...all.map(({ amount }) => amount), ...sums])];
}

function mayPay({ all, direct }: Moved, key: string, { currency, amount }: PaidCandidate): boolean {
  const toRecipient = all.filter((one) => one.addressKey === key && one.currency === currency);
  if (toRecipient.length === 0) return false;
  if (toRecipient.some((one) => one.amount === amount) || sumOf(toRecipient) === amount) return true;
  return sumOf(direct.filter((one) => one.currency === currency)) === amount;
}

/** Applies the operator's choice. Throws if it is no candidate, or if its own transaction may still pay it. */
function choose(fits: readonly Fit[], { txHash }: UnknownTransaction, chosen: string): Paid {
  const fit = fits.find(({ candidate }) => candidate.id === chosen);
  if (!fit) {
    const ids = fits.map(({ candidate }) => candidate.id).join(', ');
    throw new Error(`${chosen} is not a candidate for ${txHash}; candidates: ${ids || 'none'}`);
  }
  const alive = fit.rivals.find(({ standing }) => standing === 'ALIVE');
  if (alive)
    throw new Error(
      `${chosen} may still be paid by its own transaction ${alive.txHash}: wait until it is mined or can no longer be`,
    );
  return paidOf(fit);
}

/**
 * Whether two nodes, where there are two, show that movement in its block. Throws `ChainUnavailable` while they
 * disagree.
 */
async function isConfirmed(
  { adapter, network }: ExplanationContext,
  { txHash, block }: UnknownTransaction,
  exactMovement: MovedUnits,
): Promise<boolean> {
  if (!adapter.agreed || block === null) return true;
  return agreed(adapter, async (node) => {
    if (node.model === 'OUTPUTS') {
      const raw = await node.rawTransaction(txHash);
      const outputs = raw === null ? [] : node.outputsOf(raw);
      const { coin: currency } = NETWORKS[network];
      return outputs.some((output) => matchesExactly(exactMovement, output.addressKey, { ...output, currency }));
    }
    const parent = await node.headAt(block.height - 1);
    const next = parent && (await node.next(parent));
    if (next?.kind !== 'block') return false;
    return next.block.transfers.some(
      (one) => one.txHash === txHash && matchesExactly(exactMovement, one.addressKey, one),
    );
  });
}

function reportDoubt({ say }: ExplanationContext, { txHash, block }: UnknownTransaction, fits: readonly Fit[]): void {
  const ids = fits.map(({ candidate }) => candidate.id);
  const which = ids.length > 1 ? `one of ${ids.join(', ')}` : ids.join('');
  say(
    `  ${txHash} may have paid ${which}: to confirm, pass --attach ${txHash}=${ids[0] ?? ''}, or --attach ${txHash}=${NO_PAYOUT}`,
  );
  if (block === null) say('    it is not in a block yet: once it is, the match may become certain');
  if (ids.length > 1)
    say('    it can be attached to one of them: freeze the others that it may also have paid before you choose');
  for (const { candidate, exactMovement, rivals } of fits) {
    if (!exactMovement) say(`    ${candidate.id}: no single movement matches its amount`);
    for (const { txHash: own, standing } of rivals)
      say(
        standing === 'ALIVE'
          ? `    ${candidate.id}: its own transaction ${own} may still be mined`
          : `    ${candidate.id}: its own transaction ${own} may still turn out to have paid it`,
      );
  }
}
