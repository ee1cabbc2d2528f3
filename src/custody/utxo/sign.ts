// Signs and stores UTXO transactions: the only place that takes outputs. It holds the hot wallet's row lock, during
// which the node is not asked, and nothing sees the transaction before the commit.

import type { PaidOutput, SpentOutput } from '../../chain/transactions.ts';
import type { EntityManager } from '../../database/connection.ts';
import { insertChange, isChangeSpent, takeOutputs, type SpentRow } from '../../database/queries/payouts/utxos.ts';
import { readSender, setNextNonce } from '../../database/queries/payouts/nonces.ts';
import {
  findNewestOfNonce,
  insertTransaction,
  type TransactionRow,
} from '../../database/queries/payouts/transactions.ts';
import { inTransaction } from '../../domain/deps.ts';
import { isDue } from '../../domain/payouts/signing-gate.ts';
import { markBroadcast } from '../../domain/payouts/lifecycle.ts';
import { newId } from '../../values/id.ts';
import { mayCost, servedBy } from '../payout-cost.ts';
import type { UtxoContext } from './context.ts';

/** A transaction that pays one recipient and returns change to the hot wallet, or that consolidates outputs there. */
export interface Spend {
  /** Null for a consolidation into the hot wallet. */
  readonly payoutId: string | null;
  /** For a consolidation: the payout that it is made for; null in quiet times. */
  readonly forPayoutId: string | null;
  readonly to: string;
  readonly amount: bigint;
  readonly inputs: readonly SpentRow[];
  readonly change: bigint | null;
  readonly fee: bigint;
  /** Virtual bytes. */
  readonly size: bigint;
  /** Per virtual byte. */
  readonly rate: bigint;
}

/** Thrown inside the database transaction to roll it back. */
const TAKEN = new Error('an output was taken meanwhile');

/**
 * Signs and stores a transaction. Returns false and does nothing if anything was signed since `sequence` was read, or
 * if the payout needs no transaction any more; the caller then decides again.
 */
export function signSpend(ctx: UtxoContext, spend: Spend, sequence: number): Promise<boolean> {
  const { network } = ctx.chain.adapter;
  const { key } = ctx.wallets.hot;
  return orNothing(ctx, async (em) => {
    if ((await readSender(em, network, key, true)) !== sequence || !(await ctx.comparison.maySign(em))) return false;
    if (spend.payoutId !== null && !(await isDue(ctx.deps, em, spend.payoutId))) return false;
    if (!(await mayCost(ctx, em, { payoutId: servedBy(spend), cost: spend.fee }))) return false;
    await signAndStore(ctx, em, spend, sequence);
    await setNextNonce(em, network, key, sequence + 1);
    return true;
  });
}

/**
 * Signs a replacement with a higher offer and at least the same inputs, so that only one of the two can be mined. False
 * if it was already replaced, or if its change was spent, which would be lost with it.
 */
export function signReplacement(ctx: UtxoContext, spend: Spend, stuck: TransactionRow): Promise<boolean> {
  const { network } = ctx.chain.adapter;
  return orNothing(ctx, async (em) => {
    await readSender(em, network, stuck.senderKey, true);
    if (!(await ctx.comparison.maySign(em))) return false;
    const newest = await findNewestOfNonce(em, network, stuck);
    if (newest?.id !== stuck.id || (newest.status !== 'SIGNED' && newest.status !== 'BROADCAST')) return false;
    if (await isChangeSpent(em, network, stuck.id)) return false;
    if (!(await mayCost(ctx, em, { payoutId: servedBy(spend), cost: spend.fee, place: stuck }))) return false;
    await signAndStore(ctx, em, spend, stuck.nonce);
    return true;
  });
}

async function orNothing(ctx: UtxoContext, work: (em: EntityManager) => Promise<boolean>): Promise<boolean> {
  try {
    return await inTransaction(ctx.deps, work);
  } catch (error) {
    if (error === TAKEN) return false;
    throw error;
  }
}

async function signAndStore(ctx: UtxoContext, em: EntityManager, spend: Spend, nonce: number): Promise<void> {
  const { chain, deps, wallets } = ctx;
  const { adapter } = chain;
  const { payoutId, forPayoutId, to, amount, inputs, change, fee, size, rate } = spend;
  const { key: senderKey, path: senderPath } = wallets.hot;
  const recipientKey = adapter.parseAddress(to)?.key;
  if (recipientKey === undefined) throw new Error(`Not an address: ${to}`);
  if (!(await takeOutputs(em, adapter.network, { senderKey, nonce }, inputs))) throw TAKEN;
  const outputs: PaidOutput[] = [{ to, amount }];
  if (change !== null) outputs.push({ to: wallets.hot.address, amount: change });
  const { raw, txHash } = await sign(ctx, inputs, outputs);
  const now = deps.clock.now();
  const id = newId('trf', now.getTime());
  const row = {
    purpose: payoutId === null ? ('SWEEP' as const) : ('PAYOUT' as const),
    ...{ id, payoutId, forPayoutId, senderKey, senderPath, payerKey: null, recipientKey, nonce, raw, txHash },
    ...{ currency: ctx.coin.currency, amount, gas: size, maxPerGas: rate, tipPerGas: null, maxCost: fee },
    validUntil: null,
  };
  await insertTransaction(em, adapter.network, row, now);
  if (payoutId === null) await insertChange(em, id, { ordinal: 0, amount });
  else if (change !== null) await insertChange(em, id, { ordinal: 1, amount: change });
  if (payoutId !== null) await markBroadcast(deps, em, payoutId, txHash);
  const { purpose } = row;
  deps.log.info({ network: adapter.network, transferId: id, purpose, payoutId, txHash, nonce }, 'transaction signed');
}

async function sign({ chain, signer }: UtxoContext, inputs: readonly SpentRow[], outputs: readonly PaidOutput[]) {
  const keys = await Promise.all(inputs.map(({ path }) => signer.publicKey(path)));
  const spent = inputs.map(({ outpoint, amount, addressKey }, position): SpentOutput => {
    const publicKey = keys[position] ?? new Uint8Array();
    if (chain.adapter.addressOf(publicKey).key !== addressKey)
      throw new Error(`The output ${outpoint} does not belong to this signer's seed`);
    return { outpoint, amount, addressKey, publicKey };
  });
  const unsigned = chain.adapter.buildSpend(spent, outputs);
  const signatures = unsigned.toSign.map(({ message, scheme }, position) => {
    const path = inputs[position]?.path ?? '';
    return scheme === 'TAPROOT' ? signer.signTaproot(path, message) : signer.sign(path, message);
  });
  return unsigned.finish(await Promise.all(signatures));
}
