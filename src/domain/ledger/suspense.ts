// Differences between the book and the chain: recorded and booked to the suspense account, never silently corrected. An
// operator who knows whose money it is empties the account; the book keeps who decided, and why.

import type { EntityManager } from '../../database/connection.ts';
import { lockCursorAt } from '../../database/queries/chain/chain-cursor.ts';
import { insertDifference, resolveDifferences, type DifferenceRow } from '../../database/queries/ledger/custody.ts';
import { changeHoldings } from '../../database/queries/ledger/holdings.ts';
import { postLedger, type AccountRef, type PlanPostings } from '../../database/queries/ledger/post-ledger.ts';
import { insertMovement, readUnmoved, type SuspenseMovement } from '../../database/queries/ledger/suspense.ts';
import { Payment } from '../../entities/payment.ts';
import { feeOf, formatAmount } from '../../values/amount.ts';
import { assetOf, relatedNetworks, type Asset } from '../../values/assets.ts';
import { GatewayError, invalid } from '../../values/errors.ts';
import { newId } from '../../values/id.ts';
import { inTransaction, type Deps } from '../deps.ts';
import { tellOperators } from '../mail/notices.ts';
import { readUnits, requireAsset } from '../requested-amount.ts';
import { claim, type NamedArrival } from './claim-arrival.ts';
import { account, GATEWAY, min, posting } from './ledger.ts';

/** A difference as found: the block, and the book's custody balance at that moment. */
export interface FoundDifference extends DifferenceRow {
  readonly at: { readonly hash: string };
  readonly balance: bigint;
}

/** Thrown to roll the transaction back. */
const OUTDATED = new Error('the book has moved since the difference was found');

/**
 * Records a difference and moves it between custody and suspense in one transaction: custody then equals what the chain
 * holds, and suspense holds what is unexplained. False, and nothing done, when a block was read or anything was booked
 * since the difference was found, by whichever observer: look for it again. Operators are told.
 */
export async function bookDifference(
  deps: Pick<Deps, 'db' | 'clock' | 'sendsMail'>,
  found: FoundDifference,
): Promise<boolean> {
  const asset = assetOf(found);
  const custody = account(GATEWAY, 'custody', asset);
  const suspense = account(GATEWAY, 'suspense', asset);
  const { difference } = found;
  const at = deps.clock.now();
  try {
    await inTransaction(deps, async (em) => {
      if (!(await lockCursorAt(em, found.network, found.at.hash))) throw OUTDATED;
      const id = await insertDifference(em, found, at);
      const transaction = { id: newId('ltx', at.getTime()), reference: `difference/${id}`, paymentId: null, at };
      await postLedger(em, transaction, [custody, suspense], (balanceOf) => {
        if (balanceOf(custody) !== found.balance) throw OUTDATED;
        return [posting(custody, suspense, difference), posting(suspense, custody, -difference)];
      });
      await tellOperators(em, deps, noticeOf(asset, difference, { id, at }), at);
    });
    return true;
  } catch (error) {
    if (error === OUTDATED) return false;
    throw error;
  }
}

/**
 * What operators are told. Anybody can send us money, so of a surplus once a day for each asset; each shortfall counts,
 * which such a surplus must not hide.
 */
function noticeOf(asset: Asset, difference: bigint, { id, at }: { readonly id: string; readonly at: Date }) {
  const { network, currency, decimals } = asset;
  const params = { network, amount: `${formatAmount(difference, decimals)} ${currency}` };
  const once = difference < 0n ? id : `${network}/${currency}/${at.toISOString().slice(0, 10)}`;
  return { template: 'SUSPENSE_FOUND', params, dedupe: `suspense_found/${once}` } as const;
}

/** Who moves something, and the reason for the auditor. */
interface Signed {
  readonly operator: string;
  readonly note: string;
  /** What asked for it once, as the ledger refers to it; by default the movement, `suspense/<id>`. */
  readonly reference?: string;
}

export interface SuspenseCredit extends Signed {
  readonly paymentId: string;
  /** Where the money lies: the payment's network (the default), or another on which the address is the same. */
  readonly network?: string | null;
  readonly currency: string;
  /** A decimal string. */
  readonly amount: string;
  /** The arrival at an address of a lost order that is credited, whole; without it, money of unknown arrival. */
  readonly arrival?: NamedArrival | null;
}

export interface WriteOff extends Signed {
  readonly network: string;
  readonly currency: string;
  /** A decimal string, with a leading minus if the chain holds less than the book. */
  readonly amount: string;
  /** As for a credit; never for a loss. */
  readonly arrival?: NamedArrival | null;
}

type SuspenseDeps = Pick<Deps, 'db' | 'clock'>;

/**
 * Credits a payment's merchant out of suspense like a deposit: less the fee, and settling what they owe first. The
 * payment does not change. From then on payouts may spend the money, at the payment's address or where the named
 * arrival lies. Answers the movement's id, which the ledger's reference `suspense/<id>` names. Errors: 2001, 2004
 * (payment or arrival), 3001, 4001 (suspense holds less, or the arrival is not final).
 */
export async function creditFromSuspense(deps: SuspenseDeps, request: SuspenseCredit): Promise<string> {
  const { id } = await inTransaction(deps, (em) => creditFromSuspenseIn(em, deps, request));
  return id;
}

/** The same in the current transaction; answers whose credit it is as well. */
export async function creditFromSuspenseIn(
  em: EntityManager,
  deps: Pick<Deps, 'clock'>,
  request: SuspenseCredit,
): Promise<{ readonly id: string; readonly merchantId: string }> {
  const payment = await em.findOne(Payment, { id: request.paymentId });
  if (!payment) throw new GatewayError('NOT_FOUND', { message: `There is no payment ${request.paymentId}` });
  const { id: paymentId, merchantId } = payment;
  const asset = requireAsset(request.currency, request.network ?? payment.network);
  if (!relatedNetworks(payment.network).includes(asset.network)) throw new GatewayError('UNSUPPORTED_ASSET');
  const amount = readUnits('SUSPENSE', asset, request.amount);
  const { suspense, ...others } = accountsOf(asset, merchantId);
  const fee = feeOf(amount);
  const claimed = await claim(em, { asset, amount, arrival: request.arrival ?? null });
  const { arrivalId, kept } = claimed;
  const movement = {
    kind: 'CREDIT',
    asset,
    amount,
    paymentId,
    merchantId,
    arrivalId,
    ...signatureOf(request),
  } as const;
  const id = await move(deps, em, movement, [
    [suspense, others.available, others.receivable, others.fees],
    (balanceOf) => {
      if (balanceOf(suspense) - kept < amount) throw insufficientFunds(asset, balanceOf(suspense) - kept, kept);
      return [
        posting(suspense, others.available, amount),
        posting(others.available, others.fees, fee),
        posting(others.available, others.receivable, min(-balanceOf(others.receivable), amount - fee)),
      ];
    },
  ]);
  if (arrivalId !== null) await claimed.release();
  else await changeHoldings(em, [{ paymentId, network: asset.network, currency: asset.currency, units: amount }]);
  return { id, merchantId };
}

/**
 * Moves a difference out of suspense to the gateway's costs, as a gain or (negative) a loss: no more than was found
 * with that sign and not moved yet. A gain that arrived at an address of a lost order can be spent from then on.
 * Answers the movement's id. Errors: 2001, 2004 (arrival), 3001, 4001.
 */
export function writeOffSuspense(deps: SuspenseDeps, request: WriteOff): Promise<string> {
  return inTransaction(deps, (em) => writeOffSuspenseIn(em, deps, request));
}

/** The same in the current transaction. */
export async function writeOffSuspenseIn(
  em: EntityManager,
  deps: Pick<Deps, 'clock'>,
  request: WriteOff,
): Promise<string> {
  const asset = requireAsset(request.currency, request.network);
  const isLoss = request.amount.startsWith('-');
  const size = readUnits('SUSPENSE', asset, isLoss ? request.amount.slice(1) : request.amount);
  const amount = isLoss ? -size : size;
  const { arrivalId, kept, release } = await claim(em, { asset, amount, arrival: request.arrival ?? null });
  const { more, less } = await readUnmoved(em, asset);
  if (isLoss && amount < less) throw insufficientFunds(asset, less);
  if (amount > more - kept) throw insufficientFunds(asset, more - kept, kept);
  const suspense = account(GATEWAY, 'suspense', asset);
  const costs = account(GATEWAY, 'costs', asset);
  const movement = { kind: 'WRITE_OFF', asset, amount, paymentId: null, merchantId: null, arrivalId } as const;
  const id = await move(deps, em, { ...movement, ...signatureOf(request) }, [
    [suspense, costs],
    () => [posting(suspense, costs, amount), posting(costs, suspense, -amount)],
  ]);
  await release();
  return id;
}

type Movement = Omit<SuspenseMovement, 'network' | 'currency'> & { readonly asset: Asset };

/** Records a movement and posts it; once suspense is empty, its differences count as resolved. */
async function move(
  { clock }: Pick<Deps, 'clock'>,
  em: EntityManager,
  { asset, reference: given, ...movement }: Movement & Pick<Signed, 'reference'>,
  [accounts, plan]: readonly [readonly AccountRef[], PlanPostings],
): Promise<string> {
  const { currency, network } = asset;
  const at = clock.now();
  const id = await insertMovement(em, { ...movement, currency, network }, at);
  const { paymentId } = movement;
  const reference = given ?? `suspense/${id}`;
  await postLedger(em, { id: newId('ltx', at.getTime()), reference, paymentId, at }, accounts, plan);
  await resolveDifferences(em, network, at);
  return id;
}

function accountsOf(asset: Asset, merchantId: string) {
  return {
    suspense: account(GATEWAY, 'suspense', asset),
    fees: account(GATEWAY, 'fees', asset),
    available: account(merchantId, 'available', asset),
    receivable: account(merchantId, 'receivable', asset),
  };
}

function signatureOf({ operator, note, reference }: Signed): Signed {
  if (note.trim() === '') throw invalid([{ path: 'note', message: 'say why' }]);
  return { operator, note: note.trim(), ...(reference !== undefined && { reference }) };
}

function insufficientFunds(asset: Asset, units: bigint, kept = 0n): GatewayError {
  const { currency, network, decimals } = asset;
  const show = (some: bigint) => `${formatAmount(some, decimals)} ${currency}`;
  const message = `Suspense has ${show(units)} on ${network} of that, and no more`;
  const more = kept > 0n ? `; ${show(kept)} came to addresses of lost orders: name the arrival` : '';
  return new GatewayError('INSUFFICIENT_FUNDS', { message: message + more });
}
