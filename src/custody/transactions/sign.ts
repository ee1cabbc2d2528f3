// The one place where a nonce is taken: with the sender's row locked, the transaction is signed and stored, and only
// after the commit does anybody see it. Nothing here asks the node.

import type { ChainAdapter } from '../../chain/adapter.ts';
import { maxCostOf, type Quote } from '../../chain/transactions.ts';
import { addSender, readSender, setNextNonce } from '../../database/queries/payouts/nonces.ts';
import {
  findOpenTransactions,
  insertTransaction,
  type TransactionPurpose,
  type TransferRow,
} from '../../database/queries/payouts/transactions.ts';
import type { EntityManager } from '../../database/connection.ts';
import { inTransaction } from '../../domain/deps.ts';
import { isDue } from '../../domain/payouts/signing-gate.ts';
import { markBroadcast } from '../../domain/payouts/lifecycle.ts';
import { newId } from '../../values/id.ts';
import type { AccountContext as Context } from '../context.ts';
import { agreed } from './finality.ts';
import { mayCost, servedBy } from '../payout-cost.ts';
import type { Wallet } from '../keys/wallets.ts';

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
    await addSender(em, adapter.network, { key, role: wallet.role, nonce: await readFirstNonce(adapter, wallet) });
  const nextNonce = (await readSender(em, adapter.network, key)) ?? 0;
  const open = await findOpenTransactions(em, adapter.network);
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

/**
 * The nonce that a sender begins with: of a deposit address the first of all, for the book has all that was signed for one;
 * of a wallet, which may be a restored one, what two nodes say where there are two. Too much would leave a gap, behind which
 * nothing is ever mined.
 */
export async function readFirstNonce(
  adapter: Context['chain']['adapter'],
  { key, role }: Pick<Wallet, 'key' | 'role'>,
): Promise<number> {
  if (role === 'DEPOSIT') return 0;
  const nonceBy = async (node: ChainAdapter) =>
    node.model === 'ACCOUNT' ? ((await node.nonces([key])).get(key) ?? 0) : 0;
  return (await nonceBy(adapter)) === 0 ? 0 : agreed(adapter, nonceBy);
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
  readonly purpose: TransactionPurpose;
  readonly payoutId: string | null;
  /** Of a sweep or a top-up: the payout that it is made for. */
  readonly forPayoutId?: string | null;
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
  const { purse, payoutId, forPayoutId = null } = order;
  if (isBehind(ctx, purse)) return false;
  return inTransaction(ctx.deps, async (em) => {
    const next = await readSender(em, adapter.network, purse.wallet.key, true);
    if (next !== purse.nextNonce || !(await ctx.comparison.maySign(em))) return false;
    if (payoutId !== null && !(await isDue(ctx.deps, em, payoutId))) return false;
    const expense = { payoutId: servedBy({ payoutId, forPayoutId }), cost: maxCostOf(order.quote) };
    if (!(await mayCost(ctx, em, expense))) return false;
    await signAndStore(ctx, em, { ...order, currency: order.currency ?? purse.currency, nonce: next });
    await setNextNonce(em, adapter.network, purse.wallet.key, next + 1);
    return true;
  });
}

/**
 * Whether the chain counts more of a sender than the book has signed. Either the node is wrong, or the keys were used
 * elsewhere, which the comparison and the watcher find: what was signed with the chain's number in the first case would wait
 * for ever for those before it.
 */
function isBehind({ warn }: Context, { wallet: { key }, nextNonce, chainNonce }: Purse): boolean {
  if (chainNonce <= nextNonce) return false;
  const fields = { address: key, book: nextNonce, chain: chainNonce };
  warn(
    `nonce ${key}`,
    fields,
    'a node counts more transactions of a sender than were signed: nothing is signed for it',
  );
  return true;
}

type Signing = Omit<Order, 'purse' | 'currency'> & {
  readonly purse: { readonly wallet: Pick<Wallet, 'key' | 'path'> };
  readonly currency: string;
  readonly nonce: number;
};

/** Signs and stores, with the sender locked. */
export async function signAndStore(ctx: Context, em: EntityManager, signing: Signing): Promise<void> {
  const { chain, deps, signer } = ctx;
  const { purpose, payoutId, forPayoutId = null, currency, amount, nonce, quote, to } = signing;
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
    forPayoutId,
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
  await insertTransaction(em, adapter.network, { ...row, id, maxCost: maxCostOf(quote), validUntil, raw, txHash }, now);
  if (payoutId !== null) await markBroadcast(deps, em, payoutId, txHash);
  deps.log.info({ network: adapter.network, transferId: id, purpose, payoutId, txHash, nonce }, 'transfer signed');
}
