// Shows what the wallets hold, and what sweeping the deposit addresses would bring and cost now. Signs and writes
// nothing.

import type { AccountAdapter } from '../../chain/adapter.ts';
import { TransactionRefused } from '../../chain/errors.ts';
import { maxCostOf } from '../../chain/transactions.ts';
import type { Config } from '../../config/config.ts';
import type { Wallets } from '../../custody/keys/wallets.ts';
import type { Database } from '../../database/connection.ts';
import { findHolders } from '../../database/queries/ledger/holdings.ts';
import { formatAmount } from '../../values/amount.ts';
import { assetOf, NETWORKS } from '../../values/assets.ts';
import { openAdapters } from '../open-adapters.ts';
import { listOutputs } from './outputs.ts';
import { openSeedWallets, outputAccounts, sweptAccountOf } from './verify.ts';

type Say = (line: string) => void;

/** Deposit addresses listed per asset, largest first. */
const HOLDERS = 200;

/** Prints the plan for each network and asset. Throws if no node is configured. */
export async function planSweeps(config: Config, db: Database, seed: Uint8Array, say: Say): Promise<void> {
  const adapters = await openAdapters(config);
  if (adapters.length === 0) throw new Error('Set ETH_RPC_URL: a node is needed to read balances');
  for (const adapter of adapters) {
    const { network } = adapter;
    if (adapter.model === 'OUTPUTS') {
      const account = outputAccounts(config).find((one) => one.network === network);
      if (account) await listOutputs({ config, db, adapter, wallets: await openSeedWallets(seed, account), say });
      continue;
    }
    const account = sweptAccountOf(network);
    if (account === null) continue;
    const wallets = await openSeedWallets(seed, account);
    if (config.environment === 'live') await adapter.verify();
    say(`${network}\n  hot wallet ${wallets.hot.address}\n  gas wallet ${wallets.gas.address}`);
    for (const currency of adapter.contracts.keys()) await planAsset({ db, adapter, wallets, say }, currency);
  }
  say('Nothing was moved: the signer sweeps when a payout needs it.');
}

interface Plan {
  readonly db: Database;
  readonly adapter: AccountAdapter;
  readonly wallets: Wallets;
  readonly say: Say;
}

async function planAsset(plan: Plan, currency: string): Promise<void> {
  const { db, adapter, wallets, say } = plan;
  const { network } = adapter;
  const coin = NETWORKS[network].coin;
  const show = (units: bigint, of = currency) =>
    `${formatAmount(units, assetOf({ currency: of, network }).decimals)} ${of}`;
  const holders = await findHolders(db.em, network, currency, HOLDERS);
  const { hot, gas } = wallets;
  const keys = [hot.key, gas.key, ...holders.map(({ addressKey }) => addressKey)];
  const balances = await adapter.balances(keys, currency);
  const held = (key: string) => balances.get(key) ?? 0n;
  say(`\n  ${currency}: the hot wallet holds ${show(held(hot.key))}`);
  if (currency === coin) say(`  ${currency}: the gas wallet holds ${show(held(gas.key))}`);

  let moved = 0n;
  let spent = 0n;
  for (const { addressKey, index } of holders) {
    const units = held(addressKey);
    if (units === 0n) continue;
    // Throws at once for deposit addresses of another seed, which could not be swept.
    const { address } = await wallets.deposit(index, addressKey);
    const { brings, costs, note } = await planOne(plan, { key: addressKey, currency, units });
    say(`    ${address}  ${show(units)}  ${note ?? `sweep costs up to ${show(costs, coin)}`}`);
    moved += brings;
    spent += costs;
  }
  say(`  ${currency}: sweeps would move ${show(moved)} and cost up to ${show(spent, coin)}`);
}

/**
 * Decides as the signer would: a coin pays for its own sweep, a token's sweep is paid by the gas wallet; if the gas
 * wallet pays for everything, the whole coin balance is moved.
 */
async function planOne(
  { adapter, wallets }: Plan,
  { key, currency, units }: { key: string; currency: string; units: bigint },
): Promise<{ brings: bigint; costs: bigint; note: string | null }> {
  const isCoin = adapter.contracts.get(currency) === null;
  const isSponsored = adapter.feePayer === 'GAS_WALLET';
  const paysItself = isCoin && !isSponsored;
  const request = {
    ...{ from: key, to: wallets.hot.address, currency, amount: paysItself ? 1n : units },
    ...(isSponsored ? { payer: wallets.gas.key } : {}),
  };
  try {
    const costs = maxCostOf(await adapter.quote(request));
    const brings = paysItself ? units - costs : units;
    if (isCoin && brings < costs) return { brings: 0n, costs: 0n, note: 'left: its sweep costs more than it brings' };
    return { brings, costs, note: null };
  } catch (error) {
    if (!(error instanceof TransactionRefused)) throw error;
    return { brings: 0n, costs: 0n, note: 'cannot be swept: the chain refuses the transfer' };
  }
}
