// Reads payout settings: what merchants are charged, what a payout may cost, and the cold addresses for fees.

import { parseAmount } from '../values/amount.ts';
import { ASSETS, NETWORK_CODES, NETWORKS, type Asset, type Network } from '../values/assets.ts';
import { defaultBounds, type PayoutBounds } from '../values/payout-bounds.ts';
import type { NetworkConfig } from './networks.ts';
import type { Reader } from './reader.ts';

export interface PayoutConfig {
  /** The flat fee of a payout, in base units, by `currency/network`; none if not set. */
  readonly networkFees: ReadonlyMap<string, bigint>;
  /** Charged in addition if the recipient has no account for the token yet, by `currency/network`. */
  readonly newAccountFees: ReadonlyMap<string, bigint>;
  /** What a payout may cost, by network. */
  readonly payoutBounds: ReadonlyMap<Network, PayoutBounds>;
  /** Where the gateway's own fees may go, by network, as configured; nowhere on the others. */
  readonly coldAddresses: ReadonlyMap<Network, string>;
  /** A payout that is open for this many minutes counts as stuck. */
  readonly stuckAfterMinutes: number;
  /** How long new approvers, new payout addresses and looser policies have to wait, in hours. */
  readonly payoutHoldHours: number;
  /** How long a payout waits to be approved, in hours. */
  readonly approvalHours: number;
}

/** Reads all payout settings. Live requires an explicit fee for every asset in service. */
export function readPayouts(read: Reader, networks: ReadonlyMap<Network, NetworkConfig>, live: boolean): PayoutConfig {
  const networkFees = readFees(read, 'NETWORK_FEE', ASSETS);
  const newAccountFees = readFees(read, 'NEW_ACCOUNT_FEE', ASSETS.filter(hasTokenAccounts));
  if (live) requireFees(read, networks, { networkFees, newAccountFees });
  const payoutBounds = new Map(NETWORK_CODES.map((network) => [network, readBounds(read, network, live)]));
  return {
    ...{ networkFees, newAccountFees, payoutBounds },
    coldAddresses: readColdAddresses(read),
    stuckAfterMinutes: read.integer('STUCK_AFTER_MINUTES', 60, 1, 100_000),
    payoutHoldHours: read.integer('PAYOUT_HOLD_HOURS', live ? 24 : 0, 0, 168),
    approvalHours: read.integer('APPROVAL_HOURS', 72, 1, 720),
  };
}

/** `<NETWORK>_COLD_ADDRESS`; the network's adapter checks it before anything starts. */
function readColdAddresses(read: Reader): Map<Network, string> {
  return new Map(
    NETWORK_CODES.flatMap((network) => {
      const address = read.optional(`${network}_COLD_ADDRESS`);
      return address === null ? [] : [[network, address] as const];
    }),
  );
}

/** Whether a payout may have to open an account for its recipient, at the sender's expense. */
const hasTokenAccounts = ({ network, isCoin }: Asset): boolean => NETWORKS[network].kind === 'solana' && !isCoin;

/** `<NETWORK>_<CURRENCY>_NETWORK_FEE` and `…_NEW_ACCOUNT_FEE`, decimals in that currency. */
function readFees(read: Reader, what: string, assets: readonly Asset[]): Map<string, bigint> {
  const fees = new Map<string, bigint>();
  for (const { network, currency, decimals } of assets) {
    const units = readUnits(read, `${network}_${currency}_${what}`, decimals);
    if (units !== null) fees.set(`${currency}/${network}`, units);
  }
  return fees;
}

function readUnits(read: Reader, name: string, decimals: number): bigint | null {
  const text = read.optional(name);
  const units = text === null ? null : parseAmount(text, decimals);
  if (text !== null && units === null)
    read.fault(name, `must be a decimal number with at most ${String(decimals)} places`);
  return units;
}

/** An unset fee would be paid by the operator; an explicit 0 confirms that. */
function requireFees(
  read: Reader,
  networks: ReadonlyMap<Network, NetworkConfig>,
  { networkFees, newAccountFees }: Pick<PayoutConfig, 'networkFees' | 'newAccountFees'>,
): void {
  for (const asset of ASSETS) {
    const { network, currency, isCoin } = asset;
    const node = networks.get(network);
    if (!node || !(isCoin || node.contracts.has(currency))) continue;
    const require = (what: string, fees: ReadonlyMap<string, bigint>) => {
      const name = `${network}_${currency}_${what}`;
      const isSet = fees.has(`${currency}/${network}`) || read.optional(name) !== null;
      if (!isSet) read.fault(name, 'is required in live: the fee charged for a payout, 0 if you bear its cost');
    };
    require('NETWORK_FEE', networkFees);
    if (hasTokenAccounts(asset)) require('NEW_ACCOUNT_FEE', newAccountFees);
  }
}

/** `<NETWORK>_PAYOUT_MAX_COST`, `<NETWORK>_PAYOUT_EXTRA_GAS`, `<NETWORK>_<CURRENCY>_SWEEP_MIN`. */
function readBounds(read: Reader, network: Network, live: boolean): PayoutBounds {
  const byDefault = defaultBounds(network, { live });
  const { kind, coinDecimals } = NETWORKS[network];
  const maxName = `${network}_PAYOUT_MAX_COST`;
  const maxCost = readUnits(read, maxName, coinDecimals) ?? byDefault.maxCost;
  if (maxCost === 0n) read.fault(maxName, 'must be more than 0');
  const extraName = `${network}_PAYOUT_EXTRA_GAS`;
  const { extraGas } = byDefault;
  const sweepMin = ASSETS.filter((asset) => asset.network === network && kind !== 'utxo').map(
    ({ currency, decimals }) => {
      const least = readUnits(read, `${network}_${currency}_SWEEP_MIN`, decimals);
      return [currency, least ?? byDefault.sweepMin.get(currency) ?? 0n] as const;
    },
  );
  return {
    maxCost,
    extraGas: extraGas === null ? null : BigInt(read.integer(extraName, Number(extraGas), 0, 30_000_000)),
    sweepMin: new Map(sweepMin),
  };
}
