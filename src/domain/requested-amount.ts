// The questions asked of an amount that somebody requests, each answered here and nowhere else: asset, decimals,
// minimum, maximum, availability, freeze, service, dust. The table says which of them each kind of request asks.

import type { ChainAdapter } from '../chain/adapter.ts';
import type { EntityManager } from '../database/connection.ts';
import { isFrozen, isPayoutAssetOff } from '../database/queries/payouts/obstacles.ts';
import { formatAmount, parseAmount } from '../values/amount.ts';
import { findAsset, leastOf, limitsOf, parseNetwork, type Asset, type Network } from '../values/assets.ts';
import { ERRORS, GatewayError, invalid } from '../values/errors.ts';
import type { Chain, Deps } from './deps.ts';

/** What an amount is requested for. The operator requests the last two: fees to withdraw, suspense to book. */
export type AmountKind = 'ORDER' | 'WITHDRAWAL' | 'REFUND' | 'SIMULATION' | 'FEES' | 'SUSPENSE';
/** The kinds that send money. */
export type PayoutKind = 'WITHDRAWAL' | 'REFUND' | 'FEES';

/** What a kind is asked, and the messages; without a message the question is not asked. A limit reads `0.01 USDT`. */
interface Rules {
  /** Path of the amount in the details of a 2001. */
  readonly path: 'input.amount' | 'amount';
  /** 2001: more decimals than the asset has, or no decimal string at all. */
  readonly decimals: (asset: Asset) => string;
  /** Zero is a 2001, too; for the other kinds the schema has refused it. */
  readonly refusesZero?: true;
  /** 3002. */
  readonly minimum?: (limit: string) => string;
  /** 3003. */
  readonly maximum?: (limit: string) => string;
  /** 3007 for an asset whose token takes a fee on transfers, asked of the database. */
  readonly service?: (asset: Asset) => string;
  /** 3007 for an asset that is out of service for any reason, as this process knows it: an order asks no database. */
  readonly takesOnlyInService?: true;
}

const tooManyDecimals = ({ currency, decimals }: Asset) => `${currency} has at most ${decimals} decimals here`;
const positiveAmount = ({ decimals }: Asset) => `an amount of at most ${decimals} decimals, greater than zero`;
const outOfService = ({ currency, network }: Asset) => `${currency} on ${network} is out of service`;
const limits: Pick<Rules, 'minimum' | 'maximum'> = {
  minimum: (limit) => `The least amount is ${limit}`,
  maximum: (limit) => `The greatest amount is ${limit}`,
};

/** Rows differ on purpose: clients match on these codes and messages. */
const RULES: Readonly<Record<AmountKind, Rules>> = {
  ORDER: { path: 'input.amount', decimals: tooManyDecimals, ...limits, takesOnlyInService: true },
  WITHDRAWAL: { path: 'input.amount', decimals: tooManyDecimals, ...limits, service: outOfService },
  // No limits: whatever a payment brought in may go back, unless it is dust.
  REFUND: { path: 'input.amount', decimals: tooManyDecimals, service: outOfService },
  // No minimum: underpayments are to be tried. The payment names the asset, so the messages need not.
  SIMULATION: {
    path: 'input.amount',
    decimals: ({ decimals }) => `has more than ${decimals} decimals`,
    maximum: () => ERRORS.ABOVE_MAXIMUM.message,
  },
  // On the operator's command line: no schema has checked the amount, and the gateway's own balance is the only limit.
  FEES: {
    path: 'amount',
    decimals: (asset) => `max, or ${positiveAmount(asset)}`,
    refusesZero: true,
    service: () => ERRORS.NETWORK_UNAVAILABLE.message,
  },
  SUSPENSE: { path: 'amount', decimals: positiveAmount, refusesZero: true },
};

// Pure: what the table of assets answers, in this order: asset, decimals, minimum, maximum.

/** An amount as a caller writes it: codes or aliases in any case, a decimal string. */
export interface NamedAmount {
  readonly currency: string;
  readonly network: string;
  readonly amount: string;
}

/** An asset and how much of it, in base units. */
export interface RequestedAmount<Units extends bigint | null = bigint> {
  readonly asset: Asset;
  readonly units: Units;
}

/** The networks that this deployment has a node for. Their minimum is never below what the network carries. */
type Networks = Pick<ReadonlyMap<Network, unknown>, 'has'>;

/** The asset that a caller names; null when there is none (contract, section 6). */
export function findNamedAsset(currency: string, network: string): Asset | null {
  const code = parseNetwork(network);
  return code && findAsset(currency, code);
}

/** The asset that a caller names. Errors: 3001. */
export function requireAsset(currency: string, network: string): Asset {
  const asset = findNamedAsset(currency, network);
  if (!asset) throw new GatewayError('UNSUPPORTED_ASSET');
  return asset;
}

/** The network that a caller names, where no amount comes with it. Errors: 3001. */
export function requireNetwork(name: string): Network {
  const network = parseNetwork(name);
  if (network === null) throw new GatewayError('UNSUPPORTED_ASSET');
  return network;
}

/** The message for a decimal string with more decimals than its asset has; null when it fits (contract, section 2). */
export function decimalsFault(kind: AmountKind, asset: Asset, amount: string): string | null {
  return parseAmount(amount, asset.decimals) === null ? RULES[kind].decimals(asset) : null;
}

/**
 * Reads an amount together with the asset that the caller names. A withdrawal of `max` has no units yet: null. The
 * limits are those of the contract, section 6. Errors: 3001, 2001, 3002, 3003.
 */
export function readNamedAmount(kind: 'ORDER', networks: Networks, named: NamedAmount): RequestedAmount;
export function readNamedAmount(
  kind: 'WITHDRAWAL',
  networks: Networks,
  named: NamedAmount,
): RequestedAmount<bigint | null>;
export function readNamedAmount(
  kind: 'ORDER' | 'WITHDRAWAL',
  networks: Networks,
  { currency, network, amount }: NamedAmount,
): RequestedAmount<bigint | null> {
  const asset = requireAsset(currency, network);
  if (kind === 'WITHDRAWAL' && amount === 'max') return { asset, units: null };
  return { asset, units: readUnits(kind, asset, amount, networks) };
}

/** Reads an amount of a known asset, in base units; `networks` matter for a minimum only. Errors: 2001, 3002, 3003. */
export function readUnits(kind: AmountKind, asset: Asset, amount: string, networks?: Networks): bigint {
  const { path, decimals, refusesZero = false } = RULES[kind];
  const units = parseAmount(amount, asset.decimals);
  if (units === null || (refusesZero && units === 0n)) throw invalid([{ path, message: decimals(asset) }]);
  refuseOutsideLimits(kind, asset, units, networks);
  return units;
}

/** Judges an amount of a known asset, in base units; `networks` matter for a minimum only. Errors: 3002, 3003. */
export function refuseOutsideLimits(kind: AmountKind, asset: Asset, units: bigint, networks?: Networks): void {
  const { minimum } = RULES[kind];
  const { min } = limitsOf(asset, networks?.has(asset.network) ?? true);
  if (minimum && units < min) throw new GatewayError('BELOW_MINIMUM', { message: minimum(show(asset, min)) });
  refuseAboveMaximum(kind, asset, units);
}

function refuseAboveMaximum(kind: AmountKind, asset: Asset, units: bigint): void {
  const { max } = limitsOf(asset, true);
  const { maximum } = RULES[kind];
  if (maximum && units > max) throw new GatewayError('ABOVE_MAXIMUM', { message: maximum(show(asset, max)) });
}

const show = ({ decimals, currency }: Asset, units: bigint) => `${formatAmount(units, decimals)} ${currency}`;

// What only the running networks and the database can answer, in this order: availability, freeze, service, dust.

/** The network of an asset, if it serves requests of this kind at this moment; null otherwise. */
export function findChain(
  kind: AmountKind,
  { chains, assetsOff }: Pick<Deps, 'chains' | 'assetsOff'>,
  asset: Asset,
): Chain | null {
  if (RULES[kind].takesOnlyInService && assetsOff?.isOff(asset)) return null;
  const chain = chains.get(asset.network);
  return chain?.adapter.contracts.has(asset.currency) && chain.isAvailable?.() !== false ? chain : null;
}

/** The network of an asset. Errors: 3007 where `findChain` finds none. */
export function requireChain(kind: AmountKind, deps: Pick<Deps, 'chains' | 'assetsOff'>, asset: Asset): Chain {
  const chain = findChain(kind, deps, asset);
  if (!chain) throw new GatewayError('NETWORK_UNAVAILABLE');
  return chain;
}

/** The test chain of a network (contract, section 10). Errors: 3007. */
export function requireTestChain<TestChain>(chains: ReadonlyMap<string, TestChain>, network: Network): TestChain {
  const chain = chains.get(network);
  if (!chain) throw new GatewayError('NETWORK_UNAVAILABLE', { message: `${network} has no test chain here` });
  return chain;
}

/** 4009 while the operator has frozen payouts of an asset, a merchant's or (null) the gateway's own. */
export async function refuseFrozen(em: EntityManager, merchantId: string | null, asset: Asset): Promise<void> {
  const { currency, network } = asset;
  if (await isFrozen(em, { id: null, merchantId, currency, network })) throw new GatewayError('PAYOUTS_FROZEN');
}

/** 3007 while the asset's token takes a fee on transfers: less would arrive than requested (contract, section 11). */
export async function refuseOutOfService(kind: PayoutKind, em: EntityManager, asset: Asset): Promise<void> {
  const { service } = RULES[kind];
  if (service && (await isPayoutAssetOff(em, asset)))
    throw new GatewayError('NETWORK_UNAVAILABLE', { message: service(asset) });
}

/**
 * Judges what is to be sent to an address, in base units: 4003 below the least amount and below what nodes relay to
 * such an address, 3003 above the maximum, which only a withdrawal of `max` has not been checked against yet.
 */
export function refuseUnsendable(
  kind: PayoutKind,
  adapter: ChainAdapter,
  asset: Asset,
  { address, units }: { readonly address: string; readonly units: bigint },
): void {
  const isDust = units < leastOf(asset) || (adapter.model === 'OUTPUTS' && units < adapter.dustOf(address));
  if (isDust) throw new GatewayError('DUST');
  refuseAboveMaximum(kind, asset, units);
}
