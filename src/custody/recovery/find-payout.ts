// Finds the payout that an unknown transaction paid. It is attributed only if it can be nothing else; in case of doubt
// the operator is shown the candidates.

import { CONTRACTS_FROM } from '../../chain/blocks.ts';
import { findPaidCandidates, type PaidCandidate } from '../../database/queries/payouts/paid-candidates.ts';
import type { MovedUnits, UnknownTransaction } from '../../database/queries/chain/unknown-transactions.ts';
import { NETWORKS } from '../../values/assets.ts';
import { agreed } from '../transactions/finality.ts';
import type { ExplanationContext } from './explanation.ts';
import { standingOf, type Standing } from './standing.ts';

/** The operator's answer for a transaction that paid no payout of the book. */
export const NO_PAYOUT = 'none';

/** What a transaction moved to others: in all, and by itself, without the contracts that it called. */
export interface Moved {
  readonly all: readonly MovedUnits[];
  readonly itself: readonly MovedUnits[];
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
  readonly plain: MovedUnits | null;
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

/** The payout that it paid; null if none, `UNDECIDED` if the operator has to say. */
export async function findPaidPayout(
  explaining: ExplanationContext,
  unknown: UnknownTransaction,
  moved: Moved,
): Promise<Paid | null | 'UNDECIDED'> {
  const chosen = explaining.attached.get(unknown.txHash);
  if (chosen === NO_PAYOUT) return null;
  const fits = await findFits(explaining, moved);
  if (chosen !== undefined) return choose(fits, unknown, chosen);
  const [fit] = fits;
  if (!fit) return null;
  const isCertain = fits.length === 1 && fit.rivals.length === 0 && unknown.block !== null;
  if (isCertain && fit.plain) {
    if (await isConfirmed(explaining, unknown, fit.plain)) return paidOf(fit);
    explaining.say(`  ${unknown.txHash} is not in the block where it was seen: run this again`);
    return 'UNDECIDED';
  }
  reportDoubt(explaining, unknown, fits);
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
    fits.push({ candidate, key, rivals, plain: moved.itself.find((one) => isJust(one, key, candidate)) ?? null });
  }
  return fits;
}

const isJust = (one: MovedUnits, key: string, { currency, amount }: Omit<Paid, 'payoutId' | 'addressKey'>): boolean =>
  one.addressKey === key && one.currency === currency && one.amount === amount;

const sumOf = (moved: readonly MovedUnits[]): bigint => moved.reduce((sum, { amount }) => sum + amount, 0n);

/**
 * The amounts that a paid payout can have: each movement, each recipient's total, and the total that left, a token's
 * fee included.
 */
function amountsOf({ all, itself }: Moved): bigint[] {
  const byRecipient = Map.groupBy(all, ({ addressKey, currency }) => `${addressKey}/${currency}`);
  const byCurrency = Map.groupBy(itself, ({ currency }) => currency);
  const sums = [...byRecipient.values(), ...byCurrency.values()].map(sumOf);
  return [...new Set([...all.map(({ amount }) => amount), ...sums])];
}

function mayPay({ all, itself }: Moved, key: string, { currency, amount }: PaidCandidate): boolean {
  const toIt = all.filter((one) => one.addressKey === key && one.currency === currency);
  if (toIt.length === 0) return false;
  if (toIt.some((one) => one.amount === amount) || sumOf(toIt) === amount) return true;
  return sumOf(itself.filter((one) => one.currency === currency)) === amount;
}

/** Takes the operator's choice. Throws if it is impossible. */
function choose(fits: readonly Fit[], { txHash }: UnknownTransaction, chosen: string): Paid {
  const fit = fits.find(({ candidate }) => candidate.id === chosen);
  if (!fit) {
    const ids = fits.map(({ candidate }) => candidate.id).join(', ');
    throw new Error(`${chosen} does not wait for what ${txHash} paid; candidates: ${ids || 'none'}`);
  }
  const alive = fit.rivals.find(({ standing }) => standing === 'ALIVE');
  if (alive)
    throw new Error(
      `${chosen} may yet be paid by its own transaction ${alive.txHash}: wait until that is mined, or cannot be`,
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
  plain: MovedUnits,
): Promise<boolean> {
  if (!adapter.agreed || block === null) return true;
  return agreed(adapter, async (node) => {
    if (node.model === 'OUTPUTS') {
      const raw = await node.rawTransaction(txHash);
      const outputs = raw === null ? [] : node.outputsOf(raw);
      const { coin: currency } = NETWORKS[network];
      return outputs.some((output) => isJust(plain, output.addressKey, { ...output, currency }));
    }
    const parent = await node.headAt(block.height - 1);
    const next = parent && (await node.next(parent));
    if (next?.kind !== 'block') return false;
    return next.block.transfers.some((one) => one.txHash === txHash && isJust(plain, one.addressKey, one));
  });
}

function reportDoubt({ say }: ExplanationContext, { txHash, block }: UnknownTransaction, fits: readonly Fit[]): void {
  const ids = fits.map(({ candidate }) => candidate.id);
  const which = ids.length > 1 ? `any of ${ids.join(', ')}` : ids.join('');
  say(
    `  ${txHash} may have paid ${which}: say so with --attach ${txHash}=${ids[0] ?? ''}, or --attach ${txHash}=${NO_PAYOUT}`,
  );
  if (block === null) say('    it is in no block yet: once it is, this may be certain');
  if (ids.length > 1) say('    it can be attached to one of them: freeze what it paid besides, before you say which');
  for (const { candidate, plain, rivals } of fits) {
    if (!plain) say(`    ${candidate.id}: not by one movement of the amount that it asks for`);
    for (const { txHash: own, standing } of rivals)
      say(
        standing === 'ALIVE'
          ? `    ${candidate.id}: its own transaction ${own} may yet be mined`
          : `    ${candidate.id}: it is not final yet that its own transaction ${own} did not pay it`,
      );
  }
}

/** What a transaction itself moved, of everything moved while it ran. */
export async function movedByItself(
  { adapter, network }: ExplanationContext,
  { txHash, signers }: UnknownTransaction,
  all: readonly MovedUnits[],
): Promise<readonly MovedUnits[]> {
  const { coin } = NETWORKS[network];
  if (adapter.model === 'OUTPUTS') return all;
  const moves = all.some(({ currency }) => currency !== coin) ? (await adapter.receipt(txHash))?.moves : undefined;
  const isOurs = (one: MovedUnits) =>
    moves === undefined || moves.some(({ from, to, ...move }) => signers.includes(from) && isJust(one, to, move));
  return all.filter((one) => (one.currency === coin ? one.ordinal < CONTRACTS_FROM : isOurs(one)));
}
