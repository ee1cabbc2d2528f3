// Replaces idle sweeps: their money left its address again in a reorganisation, or their payout may not pay the present
// fees. They may still take effect but are not counted on; another transaction with the same nonce moves what the
// address holds.

import { maxCostOf } from '../../chain/transactions.ts';
import type { Holder } from '../../database/queries/ledger/holdings.ts';
import type { TransactionRow } from '../../database/queries/payouts/transactions.ts';
import { isStalled, type AccountContext as Context, type Funding, type Unmined } from '../context.ts';
import { signSweepReplacement } from '../transactions/sign-replacement.ts';
import { payerOf } from '../transactions/sign.ts';
import { quoteOrNull } from './estimate.ts';

/** The ids of unmined sweeps that are stalled, or whose sender does not hold what they move. */
export async function findIdleSweeps(ctx: Context, unmined: Unmined): Promise<ReadonlySet<string>> {
  const { chain, coin } = ctx;
  const { adapter } = chain;
  const all = unmined.filter(({ purpose }) => purpose === 'SWEEP');
  const sweeps = all.filter((row) => !isStalled(ctx, row));
  const idle = new Set(all.filter((row) => isStalled(ctx, row)).map(({ id }) => id));
  for (const [currency, rows] of Map.groupBy(sweeps, (row) => row.currency)) {
    const held = await adapter.balances([...new Set(rows.map(({ senderKey }) => senderKey))], currency);
    for (const { id, senderKey, payerKey, amount, maxCost, txHash } of rows) {
      const needed = amount + (currency === coin.currency && payerKey === null ? maxCost : 0n);
      if ((held.get(senderKey) ?? 0n) >= needed) continue;
      // A sweep that was mined meanwhile has moved it.
      if ((await adapter.receipt(txHash)) === null) idle.add(id);
    }
  }
  return idle;
}

/** The result for one address: `units` is what the sweep will bring, `lacking` the gas that the address needs first. */
interface SweptAgain {
  readonly outcome: Funding;
  readonly units: bigint;
  readonly lacking?: bigint;
}

/**
 * Sweeps what an address holds now, in place of an idle sweep and at the cost of the payout that needs it now: only one
 * of the two can ever be carried out. Does nothing while the idle sweep waits for an earlier transaction of its sender.
 */
export async function replaceSweepOf(
  ctx: Context,
  { addressKey, index }: Holder,
  {
    currency,
    units,
    stuck,
    payoutId,
  }: { currency: string; units: bigint; stuck: TransactionRow; payoutId: string | null },
): Promise<SweptAgain> {
  const { adapter } = ctx.chain;
  const nothing = { outcome: 'coming', units: 0n } as const;
  if (!adapter.replaceable || (await adapter.nonces([addressKey])).get(addressKey) !== stuck.nonce) return nothing;
  const wallet = await ctx.wallets.deposit(index, addressKey);
  const to = ctx.wallets.hot.address;
  const isCoin = currency === ctx.coin.currency;
  const request = { ...payerOf(ctx), from: addressKey, to, currency, amount: isCoin ? 1n : units };
  const quote = await quoteOrNull(ctx, request);
  if (quote === null) return nothing;
  const { maxPerGas, tipPerGas } = stuck;
  const raised = { ...quote, fees: await adapter.fees({ maxPerGas, tipPerGas }) };
  const cost = maxCostOf(raised);
  const amount = isCoin ? units - cost : units;
  if (amount <= 0n || (isCoin && amount < cost)) return nothing;
  const gas = (await adapter.balances([addressKey], ctx.coin.currency)).get(addressKey) ?? 0n;
  if (gas < cost) return isCoin ? nothing : { outcome: 'coming', units, lacking: cost - gas };
  const substitute = { wallet, forPayoutId: payoutId, to, currency, amount, quote: raised };
  return { outcome: (await signSweepReplacement(ctx, stuck, substitute)) ? 'signed' : 'coming', units: amount };
}
