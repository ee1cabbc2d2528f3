// Tells operators by mail of payouts that are stuck, and of gas wallets that are low: once a day while it lasts.

import { readWallets } from '../../database/queries/chain/network-state.ts';
import { readOldestStuck } from '../../database/queries/payouts/open-payouts.ts';
import { formatAmount } from '../../values/amount.ts';
import { assetOf, NETWORKS } from '../../values/assets.ts';
import { defaultBounds } from '../../values/payout-bounds.ts';
import { inTransaction, type Chain, type Deps } from '../deps.ts';
import { tellOperators, toldTime } from '../mail/notices.ts';
import { readHoldings } from './wallet-holdings.ts';

type NoticeDeps = Pick<Deps, 'db' | 'clock' | 'sendsMail'>;

/** Of each network: those that wait longest. The others are counted, so that an outage is no flood of mails. */
const MOST_STUCK = 5;

const dayOf = (at: Date): string => at.toISOString().slice(0, 10);

/** Tells of payouts that have been open for too long. */
export async function tellStuckPayouts(deps: NoticeDeps, stuckAfterMinutes: number): Promise<void> {
  if (deps.sendsMail !== true) return;
  const now = deps.clock.now();
  const until = new Date(now.getTime() - stuckAfterMinutes * 60_000);
  for (const { id, currency, network, amount, createdAt, count } of await readOldestStuck(
    deps.db.em,
    until,
    MOST_STUCK,
  )) {
    const params = {
      ...{ id, network, since: toldTime(createdAt), count: String(count) },
      amount: `${formatAmount(amount, assetOf({ currency, network }).decimals)} ${currency}`,
    };
    const notice = { template: 'PAYOUT_STUCK', params, dedupe: `payout_stuck/${id}/${dayOf(now)}` } as const;
    await inTransaction(deps, (em) => tellOperators(em, deps, notice, now));
  }
}

/** A gas wallet that holds less of the coin than one payout may cost, in base units. */
export interface LowGas {
  readonly address: string;
  readonly held: bigint;
  readonly needed: bigint;
}

/** The gas wallet of a network if it is low; null if it is not, if there is none, and if its node does not answer. */
export async function findLowGas({ db }: Pick<Deps, 'db'>, { adapter, payoutBounds }: Chain): Promise<LowGas | null> {
  const { network } = adapter;
  if (adapter.model === 'OUTPUTS') return null;
  const wallet = (await readWallets(db.em)).find((one) => one.network === network && one.role === 'GAS');
  if (!wallet) return null;
  const held = (await readHoldings(db.em, adapter, wallet))?.get(NETWORKS[network].coin);
  const { maxCost: needed } = payoutBounds ?? defaultBounds(network);
  if (held === undefined || held >= needed) return null;
  return { address: adapter.addressFor(wallet.key) ?? wallet.key, held, needed };
}

/** Tells of a gas wallet that is low. */
export async function tellLowGas(
  deps: NoticeDeps,
  { adapter }: Chain,
  { address, held, needed }: LowGas,
): Promise<void> {
  const { network } = adapter;
  const { coin, coinDecimals } = NETWORKS[network];
  const show = (units: bigint) => `${formatAmount(units, coinDecimals)} ${coin}`;
  const now = deps.clock.now();
  const params = { network, address, amount: show(held), needed: show(needed) };
  const notice = { template: 'GAS_LOW', params, dedupe: `gas_low/${network}/${dayOf(now)}` } as const;
  await inTransaction(deps, (em) => tellOperators(em, deps, notice, now));
}
