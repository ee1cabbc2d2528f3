// The gateway's own money, and its only way out: a payout to the network's cold address.

import type { ChainAdapter } from '../../chain/adapter.ts';
import { query, type EntityManager } from '../../database/connection.ts';
import { isIssued } from '../../database/queries/chain/issued-addresses.ts';
import { lockForSigning } from '../../database/queries/payouts/obstacles.ts';
import { findWallets } from '../../database/queries/payouts/nonces.ts';
import { Payout } from '../../entities/payout.ts';
import { formatAmount } from '../../values/amount.ts';
import type { Asset, Network } from '../../values/assets.ts';
import { GatewayError } from '../../values/errors.ts';
import { newId } from '../../values/id.ts';
import { inTransaction } from '../deps.ts';
import { lockOwnFunds, withdrawableOf, type OwnFunds } from '../ledger/gateway-funds.ts';
import { GATEWAY } from '../ledger/ledger.ts';
import { figuresOf, reservePayouts } from '../ledger/payout-entries.ts';
import { parseRecipient } from '../payouts/recipient.ts';
import { readUnits, refuseFrozen, refuseOutOfService, refuseUnsendable, requireAsset } from '../requested-amount.ts';
import { recordLook, recordOperation, type Operator } from './log.ts';

/** The gateway's own money of an asset, in base units, with the ledger's signs. */
export interface GatewayFunds extends OwnFunds {
  readonly network: string;
  readonly currency: string;
  /** On its way to the cold address. */
  readonly reserved: bigint;
  /** Not explained yet; belongs to no other account until it is. */
  readonly suspense: bigint;
  readonly withdrawable: bigint;
}

/** The gateway's own money, by asset. */
export async function readGatewayFunds(operator: Operator): Promise<GatewayFunds[]> {
  return inTransaction(operator.deps, async (em) => {
    await recordLook(em, operator, { action: 'FUNDS_READ' });
    const rows = await query<Record<'network' | 'currency' | 'purpose' | 'balance', string>>(
      em,
      `select network, currency, purpose, balance::text from ledger_account
       where owner = $1 and purpose <> 'custody' order by network, currency`,
      [GATEWAY],
    );
    const assets = Map.groupBy(rows, ({ network, currency }) => `${network}/${currency}`);
    return [...assets.values()].map((accounts) => fundsOf(accounts));
  });
}

function fundsOf(accounts: readonly Record<'network' | 'currency' | 'purpose' | 'balance', string>[]): GatewayFunds {
  const of = (purpose: string) => BigInt(accounts.find((one) => one.purpose === purpose)?.balance ?? 0);
  const { network = '', currency = '' } = accounts[0] ?? {};
  const own = { fees: of('fees'), costs: of('costs'), capital: of('capital') };
  const rest = { reserved: of('reserved'), suspense: of('suspense'), withdrawable: withdrawableOf(own) };
  return { network, currency, ...own, ...rest };
}

/** A withdrawal of fees as the operator requests it. */
export interface FeeWithdrawal {
  readonly currency: string;
  /** A decimal string, or `max`. */
  readonly amount: string;
}

/** Where the fees of a network may go: the configured address, and the adapter that reads it. */
export interface ColdPlace {
  readonly adapter: ChainAdapter;
  readonly coldAddress: string;
}

/**
 * Requests a payout of fees: stored and reserved in one transaction, then signed and sent like every payout. However
 * many run at once, no more leaves than is withdrawable. Errors, in the order of the checks: 3001, 2001, 4002 (the cold
 * address is invalid, or one of the gateway's), 3007 (the asset's token takes a fee), 4009, 4001, 4003.
 */
export async function withdrawFees(
  operator: Operator,
  { adapter, coldAddress }: ColdPlace,
  { currency, amount: text }: FeeWithdrawal,
): Promise<Payout> {
  const asset = requireAsset(currency, adapter.network);
  const units = text === 'max' ? null : readUnits('FEES', asset, text);
  return inTransaction(operator.deps, (em) =>
    withdrawFeesIn(em, operator, { adapter, coldAddress }, { asset, units, reference: null }),
  );
}

/** A withdrawal of fees in base units, null for all; `reference` is what asked for it. */
export interface FeesToPay {
  readonly asset: Asset;
  readonly units: bigint | null;
  readonly reference: string | null;
}

/**
 * The same in the current transaction, which has locked no row but that of an operator's action yet. A book that was
 * restored and recovered may have what an action paid, but not that it did: then that payout is answered.
 */
export async function withdrawFeesIn(
  em: EntityManager,
  operator: Operator,
  { adapter, coldAddress }: ColdPlace,
  { asset, units, reference }: FeesToPay,
): Promise<Payout> {
  const { currency, network } = asset;
  const { address, key } = parseRecipient(adapter, coldAddress);
  await lockForSigning(em);
  const paid = reference === null ? null : await em.findOne(Payout, { merchantId: null, reference });
  if (paid) return paid;
  if (await isOurs(em, adapter, key)) throw ownAddress(adapter.network);
  await refuseOutOfService('FEES', em, asset);
  await refuseFrozen(em, null, asset);
  const withdrawable = withdrawableOf(await lockOwnFunds(em, asset));
  const amount = units ?? withdrawable;
  if (amount > withdrawable || amount === 0n) throw insufficientFunds(asset, withdrawable);
  refuseUnsendable('FEES', adapter, asset, { address, units: amount });
  const payout = newPayout(em, { asset, amount, address, reference, now: operator.deps.clock.now() });
  await em.persist(payout).flush();
  await reservePayouts({}, em, [figuresOf(payout)], payout.createdAt);
  const details = { amount: formatAmount(amount, asset.decimals), currency, network, address };
  await recordOperation(em, operator, { action: 'FEES_WITHDRAWN', target: payout.id, details });
  return payout;
}

/** Whether an address is one of our wallets or was issued for an order: money sent there stays with the gateway. */
export async function isOurs(
  em: EntityManager,
  { account }: Pick<ChainAdapter, 'account'>,
  key: string,
): Promise<boolean> {
  return (await findWallets(em, [key])).has(key) || (await isIssued(em, account, key));
}

interface NewPayout {
  readonly asset: Asset;
  readonly amount: bigint;
  readonly address: string;
  readonly reference: string | null;
  readonly now: Date;
}

function newPayout(em: EntityManager, { asset, amount, address, reference, now }: NewPayout): Payout {
  return em.create(Payout, {
    ...{ id: newId('fee', now.getTime()), kind: 'FEES', merchantId: null, paymentId: null },
    ...{ currency: asset.currency, network: asset.network, amount, networkFee: 0n, address, status: 'REQUESTED' },
    ...{ failure: null, heldReason: null, heldSince: null, lookAt: null, txHash: null, merchantWithdrawalId: null },
    ...{ reference, version: 1, early: false, createdAt: now, updatedAt: now, completedAt: null },
  });
}

function ownAddress(network: Network): GatewayError {
  const message = `${network}_COLD_ADDRESS is an address of this gateway: fees sent there would not leave it`;
  return new GatewayError('BAD_ADDRESS', { message });
}

function insufficientFunds({ currency, network, decimals }: Asset, units: bigint): GatewayError {
  const message = `${formatAmount(units, decimals)} ${currency} on ${network} may be withdrawn, and no more`;
  return new GatewayError('INSUFFICIENT_FUNDS', { message });
}
