// The one place where a nonce is taken: with the sender's row locked, the transaction is signed and stored, and only
// after the commit does anybody see it. Nothing here asks the node.

import type { Fees } from '../chain/adapter.ts';
import { addSender, readSender, setNextNonce } from '../database/queries/senders.ts';
import { hasLiveTransfer } from '../database/queries/due-payouts.ts';
import {
  findNewestOfNonce,
  findOpenTransfers,
  insertTransfer,
  type TransferPurpose,
  type TransferRow,
} from '../database/queries/transfers.ts';
import type { EntityManager } from '../database/connection.ts';
import { inTransaction } from '../domain/deps.ts';
import { lockPayout, markBroadcast } from '../domain/payout-steps.ts';
import { newId } from '../values/id.ts';
import type { Context } from './context.ts';
import type { Wallet } from './wallets.ts';

/** What a wallet can spend, and the nonces by which it is known that nothing was signed since. */
export interface Purse {
  readonly wallet: Wallet;
  readonly currency: string;
  /** What it holds of the currency less what is signed and not mined, in base units; negative when it fell short. */
  readonly units: bigint;
  /** The same of the coin, which pays for gas. */
  readonly coin: bigint;
  readonly nextNonce: number;
  readonly chainNonce: number;
}

/**
 * Reads a purse. The order matters: what is signed after the first look is noticed by the nonce, and what is mined after
 * the second is counted as spent twice, never not at all.
 */
export async function readPurse(ctx: Context, wallet: Wallet, currency: string): Promise<Purse> {
  const { adapter } = ctx.chain;
  const { key } = wallet;
  const nonceOf = async () => (await adapter.nonces([key])).get(key) ?? 0;
  const em = ctx.deps.db.em;
  if ((await readSender(em, adapter.network, key)) === null)
    await addSender(em, adapter.network, { key, role: wallet.role, nonce: await nonceOf() });
  const nextNonce = (await readSender(em, adapter.network, key)) ?? 0;
  const open = (await findOpenTransfers(em, adapter.network)).filter(({ senderKey }) => senderKey === key);
  const chainNonce = await nonceOf();
  const coin = ctx.coin.currency;
  const [units = 0n, coins = 0n] = await Promise.all(
    [currency, coin].map(async (held) => (await adapter.balances([key], held)).get(key)),
  );
  const waiting = newestOfEach(open).filter(({ nonce }) => nonce >= chainNonce);
  const spent = (held: string) =>
    waiting.reduce(
      (sum, row) => sum + (row.currency === held ? row.amount : 0n) + (held === coin ? row.maxCost : 0n),
      0n,
    );
  return { wallet, currency, units: units - spent(currency), coin: coins - spent(coin), nextNonce, chainNonce };
}

/** Of transactions with one nonce, the one that offers most: only one of them will be carried out. */
export function newestOfEach(open: readonly TransferRow[]): TransferRow[] {
  const newest = new Map<string, TransferRow>();
  for (const row of open) {
    const name = `${row.senderKey}/${String(row.nonce)}`;
    const other = newest.get(name);
    if (!other || row.maxPerGas >= other.maxPerGas) newest.set(name, row);
  }
  return [...newest.values()];
}

interface Order {
  readonly purpose: TransferPurpose;
  readonly payoutId: string | null;
  readonly purse: Purse;
  readonly to: string;
  readonly amount: bigint;
  readonly gas: bigint;
  readonly fees: Fees;
  /** The coin, where it is not what the purse was read for. */
  readonly currency?: string;
}

/**
 * Signs and stores a transfer. False, and nothing done, when anything was signed for that sender since the purse was
 * read, or when the payout needs no transaction any more: then the decision is taken anew.
 */
export async function signTransfer(ctx: Context, order: Order): Promise<boolean> {
  const { adapter } = ctx.chain;
  const { purse, payoutId } = order;
  return inTransaction(ctx.deps, async (em) => {
    const next = await readSender(em, adapter.network, purse.wallet.key, true);
    if (next !== purse.nextNonce) return false;
    if (payoutId !== null && !(await isDue(em, payoutId))) return false;
    // A nonce that the chain has seen was used elsewhere, with the same seed.
    const nonce = Math.max(next, purse.chainNonce);
    await signAndStore(ctx, em, { ...order, currency: order.currency ?? purse.currency, nonce });
    await setNextNonce(em, adapter.network, purse.wallet.key, nonce + 1);
    return true;
  });
}

async function isDue(em: EntityManager, payoutId: string): Promise<boolean> {
  const { payout } = await lockPayout(em, payoutId);
  if (payout.status !== 'REQUESTED' && payout.status !== 'BROADCAST') return false;
  return !(await hasLiveTransfer(em, payoutId));
}

/** Signs a transfer anew with the same nonce and a higher offer; both rows stay, and whichever is mined counts. */
export async function signReplacement(ctx: Context, stuck: TransferRow, fees: Fees): Promise<boolean> {
  const { network } = ctx.chain.adapter;
  return inTransaction(ctx.deps, async (em) => {
    await readSender(em, network, stuck.senderKey, true);
    const newest = await findNewestOfNonce(em, network, stuck);
    if (newest?.id !== stuck.id || newest.status !== 'BROADCAST') return false;
    const { senderKey, senderPath: path, currency, purpose } = stuck;
    // A sweep of the coin takes all there is, so what it pays more for gas it moves less.
    const dearer = stuck.gas * (fees.maxPerGas - stuck.maxPerGas);
    const amount = purpose === 'SWEEP' && currency === ctx.coin.currency ? stuck.amount - dearer : stuck.amount;
    if (amount <= 0n) return false;
    const { payoutId, recipientKey: to, nonce, gas } = stuck;
    const wallet = { key: senderKey, path };
    await signAndStore(ctx, em, { purpose, payoutId, purse: { wallet }, to, amount, gas, fees, currency, nonce });
    return true;
  });
}

type Signing = Omit<Order, 'purse' | 'currency'> & {
  readonly purse: { readonly wallet: Pick<Wallet, 'key' | 'path'> };
  readonly currency: string;
  readonly nonce: number;
};

async function signAndStore(ctx: Context, em: EntityManager, signing: Signing): Promise<void> {
  const { chain, deps, signer } = ctx;
  const { purpose, payoutId, currency, amount, nonce, gas, fees, to } = signing;
  const { key: senderKey, path: senderPath } = signing.purse.wallet;
  const { adapter } = chain;
  const recipientKey = adapter.parseAddress(to)?.key;
  if (recipientKey === undefined) throw new Error(`No address: ${to}`);
  const unsigned = adapter.buildTransfer({ from: senderKey, to, currency, amount, nonce, gas, fees });
  const { raw, txHash } = unsigned.finish(await signer.sign(senderPath, unsigned.digest));
  const now = deps.clock.now();
  const row = { purpose, payoutId, senderKey, senderPath, recipientKey, currency, amount, nonce, gas, ...fees };
  const id = newId('trf', now.getTime());
  await insertTransfer(em, adapter.network, { ...row, id, maxCost: unsigned.maxCost, raw, txHash }, now);
  if (payoutId !== null) await markBroadcast(deps, em, payoutId, txHash);
  deps.log.info({ network: adapter.network, transferId: id, purpose, payoutId, txHash, nonce }, 'transfer signed');
}

/**
 * Uses up the nonce of a transaction that must not be carried out any more: the least amount of the coin to the gas
 * wallet, at a higher offer, so that it and not the other is sent from now on.
 */
export async function signFiller(ctx: Context, em: EntityManager, unwanted: TransferRow): Promise<void> {
  const { senderKey, senderPath: path, nonce, gas, maxPerGas, tipPerGas } = unwanted;
  const more = (units: bigint) => units + units / 8n + 1n;
  const fees = { maxPerGas: more(maxPerGas), tipPerGas: tipPerGas === null ? null : more(tipPerGas) };
  const purse = { wallet: { key: senderKey, path } };
  const to = ctx.wallets.gas.address;
  const currency = ctx.coin.currency;
  await signAndStore(ctx, em, { purpose: 'GAS', payoutId: null, purse, to, amount: 1n, gas, fees, currency, nonce });
}
