// Sweeps that are not waited for: their money left its address again, with the block that brought it, or what they were made
// for may not pay what a block takes by now. They may take effect yet, and until then they count for nothing; what the
// address holds is moved by another transaction with the same number.

import { maxCostOf } from '../../chain/transactions.ts';
import type { Holder } from '../../database/queries/ledger/holdings.ts';
import type { TransferRow } from '../../database/queries/payouts/transactions.ts';
import { isStalled, type AccountContext as Context, type Funding, type Unmined } from '../context.ts';
import { signInstead } from '../transactions/sign-again.ts';
import { payerOf } from '../transactions/sign.ts';
import { quoteOrNull } from './plan.ts';

/** Of sweeps that no block has, the ids of those whose sender does not hold what they move, and of stalled ones. */
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
      // One that was mined since has moved it.
      if ((await adapter.receipt(txHash)) === null) idle.add(id);
    }
  }
  return idle;
}

/** What becomes of an address at one look: `units` is what will come of it, `lacking` the gas that it has to get first. */
interface SweptAnew {
  readonly outcome: Funding;
  readonly units: bigint;
  readonly lacking?: bigint;
}

/**
 * Sweeps what an address holds now, in the place of a sweep that is not waited for and at the cost of whom it is needed for
 * now: of the two only one ever can be carried out. Nothing is done while the earlier one waits for another of its sender.
 */
export async function sweepAnew(
  ctx: Context,
  { addressKey, index }: Holder,
  {
    currency,
    units,
    stuck,
    payoutId,
  }: { currency: string; units: bigint; stuck: TransferRow; payoutId: string | null },
): Promise<SweptAnew> {
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
  const dearer = { ...quote, fees: await adapter.fees({ maxPerGas, tipPerGas }) };
  const cost = maxCostOf(dearer);
  const amount = isCoin ? units - cost : units;
  if (amount <= 0n || (isCoin && amount < cost)) return nothing;
  const gas = (await adapter.balances([addressKey], ctx.coin.currency)).get(addressKey) ?? 0n;
  if (gas < cost) return isCoin ? nothing : { outcome: 'coming', units, lacking: cost - gas };
  const substitute = { wallet, forPayoutId: payoutId, to, currency, amount, quote: dearer };
  return { outcome: (await signInstead(ctx, stuck, substitute)) ? 'signed' : 'coming', units: amount };
}
