// The one place where a nonce is taken: with the sender's row locked, the transaction is signed and stored, and only
// after the commit does anybody see it. Nothing here asks the node.

import { maxCostOf, type Fees, type Quote } from '../chain/adapter.ts';
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
import type { AccountContext as Context } from './context.ts';
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
  const open = await findOpenTransfers(em, adapter.network);
  const chainNonce = await nonceOf();
  const carriedOut = await findCarriedOut(ctx, key, open);
  const coin = ctx.coin.currency;
  const [units = 0n, coins = 0n] = await Promise.all(
    [currency, coin].map(async (held) => (await adapter.balances([key], held)).get(key)),
  );
  const isWaiting = ({ senderKey, nonce, txHash }: TransferRow) =>
    !carriedOut.has(txHash) && (senderKey !== key || nonce >= chainNonce);
  const waiting = newestOfEach(open).filter(isWaiting);
  const spent = (held: string) =>
    waiting.reduce((sum, row) => {
      const moves = row.senderKey === key && row.currency === held;
      const pays = (row.payerKey ?? row.senderKey) === key && held === coin;
      return sum + (moves ? row.amount : 0n) + (pays ? row.maxCost : 0n);
    }, 0n);
  return { wallet, currency, units: units - spent(currency), coin: coins - spent(coin), nextNonce, chainNonce };
}

/** Those of a wallet's open transactions that are in a block: where the chain counts none, each is asked for. */
async function findCarriedOut(
  { chain: { adapter } }: Context,
  key: string,
  open: readonly TransferRow[],
): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  if (adapter.replaceable) return found;
  for (const { senderKey, payerKey, txHash } of open)
    if ((senderKey === key || payerKey === key) && (await adapter.receipt(txHash))) found.add(txHash);
  return found;
}

/** What a transfer says about who pays what the chain takes, where that is not its sender. */
export function payerOf({ chain, wallets }: Pick<Context, 'chain' | 'wallets'>): { payer?: string } {
  return chain.adapter.feePayer === 'GAS_WALLET' ? { payer: wallets.gas.key } : {};
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
  readonly quote: Quote;
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
    const { gas } = stuck;
    const dearer = gas * (fees.maxPerGas - stuck.maxPerGas);
    const amount = purpose === 'SWEEP' && currency === ctx.coin.currency ? stuck.amount - dearer : stuck.amount;
    if (amount <= 0n) return false;
    const { payoutId, recipientKey: to, nonce } = stuck;
    const quote = { gas, fees, surcharge: surchargeOf(stuck), anchor: null };
    const wallet = { key: senderKey, path };
    await signAndStore(ctx, em, { purpose, payoutId, purse: { wallet }, to, amount, quote, currency, nonce });
    return true;
  });
}

/** What a transaction may cost besides its gas. */
const surchargeOf = ({ maxCost, gas, maxPerGas }: TransferRow): bigint => maxCost - gas * maxPerGas;

type Signing = Omit<Order, 'purse' | 'currency'> & {
  readonly purse: { readonly wallet: Pick<Wallet, 'key' | 'path'> };
  readonly currency: string;
  readonly nonce: number;
};

async function signAndStore(ctx: Context, em: EntityManager, signing: Signing): Promise<void> {
  const { chain, deps, signer } = ctx;
  const { purpose, payoutId, currency, amount, nonce, quote, to } = signing;
  const { gas, fees, anchor } = quote;
  const { key: senderKey, path: senderPath } = signing.purse.wallet;
  const { adapter } = chain;
  const recipientKey = adapter.parseAddress(to)?.key;
  if (recipientKey === undefined) throw new Error(`No address: ${to}`);
  const { gas: gasWallet } = ctx.wallets;
  const payerKey = adapter.feePayer === 'GAS_WALLET' ? gasWallet.key : null;
  const unsigned = adapter.buildTransfer({ ...payerOf(ctx), from: senderKey, to, currency, amount, nonce, quote });
  const pathOf = (key: string) => (key === senderKey ? senderPath : gasWallet.path);
  const signatures = unsigned.toSign.map((part) => signer.sign(pathOf(part.signer), part.message, adapter.curve));
  const { raw, txHash } = unsigned.finish(await Promise.all(signatures));
  const now = deps.clock.now();
  const row = {
    purpose,
    payoutId,
    senderKey,
    senderPath,
    payerKey,
    recipientKey,
    currency,
    amount,
    nonce,
    gas,
    ...fees,
  };
  const id = newId('trf', now.getTime());
  const validUntil = anchor?.validUntil ?? null;
  await insertTransfer(em, adapter.network, { ...row, id, maxCost: maxCostOf(quote), validUntil, raw, txHash }, now);
  if (payoutId !== null) await markBroadcast(deps, em, payoutId, txHash);
  deps.log.info({ network: adapter.network, transferId: id, purpose, payoutId, txHash, nonce }, 'transfer signed');
}

/**
 * Uses up the nonce of a transaction that must not be carried out any more: the least amount of the coin to the gas
 * wallet, at a higher offer, so that it and not the other is sent from now on.
 */
export async function signFiller(ctx: Context, em: EntityManager, unwanted: TransferRow): Promise<void> {
  const { senderKey, senderPath: path, nonce, gas, maxPerGas, tipPerGas } = unwanted;
  const surcharge = surchargeOf(unwanted);
  const more = (units: bigint) => units + units / 8n + 1n;
  const fees = { maxPerGas: more(maxPerGas), tipPerGas: tipPerGas === null ? null : more(tipPerGas) };
  const purse = { wallet: { key: senderKey, path } };
  const to = ctx.wallets.gas.address;
  const currency = ctx.coin.currency;
  const quote = { gas, fees, surcharge, anchor: null };
  await signAndStore(ctx, em, { purpose: 'GAS', payoutId: null, purse, to, amount: 1n, quote, currency, nonce });
}
