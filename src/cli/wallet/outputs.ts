// Lists a wallet's unspent outputs by address: what payouts can spend, and what is pending. Outputs are never swept,
// because payouts spend them where they are.

import type { UtxoAdapter } from '../../chain/adapter.ts';
import type { Config } from '../../config/config.ts';
import type { Wallets } from '../../custody/keys/wallets.ts';
import { query, type Database } from '../../database/connection.ts';
import { findSpendable, type OwnOutput } from '../../database/queries/payouts/utxos.ts';
import { formatAmount } from '../../values/amount.ts';
import { NETWORKS } from '../../values/assets.ts';

interface Listing {
  readonly config: Config;
  readonly db: Database;
  readonly adapter: UtxoAdapter;
  readonly wallets: Wallets;
  readonly say: (line: string) => void;
}

/** Outputs listed, largest first. */
const OUTPUTS = 1_000;

/** Prints what each address holds by the book, and how much of it is missing on the chain. */
export async function listOutputs({ config, db, adapter, wallets, say }: Listing): Promise<void> {
  const { network } = adapter;
  const { coin, coinDecimals, confirmations: byDefault } = NETWORKS[network];
  if (config.environment === 'live') await adapter.verify();
  const show = (units: bigint) => `${formatAmount(units, coinDecimals)} ${coin}`;
  const confirmations = config.confirmations.get(network) ?? byDefault;
  const outputs = await findSpendable(db.em, network, { hotKey: wallets.hot.key, confirmations }, { limit: OUTPUTS });
  const settled = outputs.filter((output) => output.settled);
  say(`${network}\n  hot wallet ${wallets.hot.address}`);
  for (const [key, own] of Map.groupBy(settled, ({ addressKey }) => addressKey)) {
    const index = own[0]?.index ?? null;
    const { address } = index === null ? wallets.hot : await wallets.deposit(index, key);
    say(`    ${address}  ${show(sum(own))} in ${String(own.length)} ${own.length === 1 ? 'output' : 'outputs'}`);
  }
  const found = await adapter.unspent(settled.map(({ outpoint }) => outpoint));
  const missing = settled.filter(({ outpoint }) => !found?.has(outpoint));
  if (missing.length > 0) say(`  ${show(sum(missing))} of it is not on the chain: npm run ledger:verify says more`);
  say(`  ${coin}: payouts can spend ${show(sum(settled))}; nothing has to be swept`);
  const change = sum(outputs.filter((output) => !output.settled));
  say(`  ${coin}: on their way are ${show(await readPending(db, network))} of deposits and ${show(change)} of change`);
}

const sum = (outputs: readonly Pick<OwnOutput, 'amount'>[]): bigint =>
  outputs.reduce((total, { amount }) => total + amount, 0n);

/** Deposits that were seen and are not final yet. */
async function readPending({ em }: Database, network: string): Promise<bigint> {
  const [row] = await query<{ units: string }>(
    em,
    `select coalesce(sum(amount), 0)::text as units from deposit where network = $1 and status = 'PENDING'`,
    [network],
  );
  return BigInt(row?.units ?? 0);
}
