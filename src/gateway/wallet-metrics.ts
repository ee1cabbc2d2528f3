// Gauges in /metrics of the signer's wallets: what they hold, and what they need.

import type { Registry } from 'prom-client';
import type { Database } from '../database/connection.ts';
import { readWallets } from '../database/queries/chain/network-state.ts';
import { sumDue } from '../database/queries/payouts/open-payouts.ts';
import type { Chain } from '../domain/deps.ts';
import { readHoldings } from '../domain/operator/wallet-holdings.ts';
import { watchCostly } from '../server/metrics/cached-gauges.ts';
import { formatAmount } from '../values/amount.ts';
import { assetOf, NETWORKS, type Network } from '../values/assets.ts';
import { defaultBounds } from '../values/payout-bounds.ts';

/** Each reading asks the nodes once for each asset, and hosts of nodes count what they are asked. */
const READ_EVERY_MS = 60_000;

interface Level {
  readonly labels: { readonly network: string; readonly wallet: string; readonly currency: string };
  readonly value: number;
}

/**
 * Registers both. Figures are in units of the currency, so 1.5 of ETH is 1.5: a float shows them near enough, and
 * nothing is booked by them.
 */
export function watchWallets(registry: Registry, { em }: Database, chains: ReadonlyMap<Network, Chain>): void {
  const read = async () => {
    const wallets = await readWallets(em);
    const due = await sumDue(em);
    const levels = [...chains.values()].map(async (chain) => {
      const own = wallets.filter(({ network }) => network === chain.adapter.network);
      const held = await Promise.all(
        own.map(async (wallet) => heldIn(wallet.role, chain, await readHoldings(em, chain.adapter, wallet))),
      );
      return { held: held.flat(), needed: own.length === 0 ? [] : neededOn(chain, due) };
    });
    const settled = await Promise.all(levels);
    return { held: settled.flatMap(({ held }) => held), needed: settled.flatMap(({ needed }) => needed) };
  };
  const labels = ['network', 'wallet', 'currency'];
  watchCostly(
    registry,
    read,
    [
      {
        ...{ name: 'turnpike_wallet_balance', help: 'What a wallet holds, in units of the currency', labels },
        of: ({ held }) => held,
      },
      {
        ...{ name: 'turnpike_wallet_needed', help: 'What a wallet needs, in units of the currency', labels },
        of: ({ needed }) => needed,
      },
    ],
    { everyMs: READ_EVERY_MS },
  );
}

function levelOf(network: Network, wallet: string, currency: string, units: bigint): Level {
  const value = Number(formatAmount(units, assetOf({ currency, network }).decimals));
  return { labels: { network, wallet, currency }, value };
}

/** A network whose node does not answer has no figures. On UTXO networks there is no gas wallet. */
function heldIn(role: string, { adapter }: Chain, holdings: ReadonlyMap<string, bigint> | null): Level[] {
  if (role === 'GAS' && adapter.model === 'OUTPUTS') return [];
  return [...(holdings ?? [])].map(([currency, units]) =>
    levelOf(adapter.network, role.toLowerCase(), currency, units),
  );
}

/** The hot wallet needs what payouts that wait for a transaction take, the gas wallet what one payout may cost. */
function neededOn({ adapter, payoutBounds }: Chain, due: Awaited<ReturnType<typeof sumDue>>): Level[] {
  const { network } = adapter;
  const hot = [...adapter.contracts.keys()].map((currency) => {
    const found = due.find((one) => one.network === network && one.currency === currency);
    return levelOf(network, 'hot', currency, found?.units ?? 0n);
  });
  if (adapter.model === 'OUTPUTS') return hot;
  const { maxCost } = payoutBounds ?? defaultBounds(network);
  return [...hot, levelOf(network, 'gas', NETWORKS[network].coin, maxCost)];
}
