// Signs and stores account transactions: the only place that takes a nonce. It holds the sender's row lock, during
// which the node is not asked, and nothing sees the transaction before the commit.

import type { ChainAdapter } from '../../chain/adapter.ts';
import { maxCostOf, type Quote } from '../../chain/transactions.ts';
import { addSender, readSender, setNextNonce } from '../../database/queries/payouts/nonces.ts';
import {
  findOpenTransactions,
  insertTransaction,
  type TransactionPurpose,
  type TransactionRow,
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

/** What a wallet can spend, with the nonces that reveal whether anything was signed since it was read. */
export interface Purse {
  readonly wallet: Wallet;
  readonly currency: string;
  /** Its balance of the currency less signed and unmined amounts, in base units; negative if it falls short. */
  readonly units: bigint;
  /** The same for the coin, which pays for gas. */
  readonly coin: bigint;
  readonly nextNonce: number;
  readonly chainNonce: number;
}

/**
 * Reads a purse. The order matters: a transaction signed after the first read shows by the nonce, and one mined after
 * the second is counted as spent twice rather than not at all.
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
  const isWaiting = ({ senderKey, nonce, txHash }: TransactionRow) =>
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
 * A sender's first nonce. A deposit address starts at 0, because the book has everything that was signed for it. A
 * wallet may be a restored one, so the chain is asked, two nodes where there are two. Too high a nonce would leave a
 * gap, behind which nothing is ever mined.
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

/** The wallet's open transactions that are in a block. Where the chain has no nonces, each is asked for by hash. */
async function findCarriedOut(
  { chain: { adapter } }: Context,
  key: string,
  open: readonly TransactionRow[],
): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  if (adapter.replaceable) return found;
  for (const { senderKey, payerKey, txHash } of open)
    if ((senderKey === key || payerKey === key) && (await adapter.receipt(txHash))) found.add(txHash);
  return found;
}

/** The fee payer of a transfer, where it is not the sender. */
export function payerOf({ chain, wallets }: Pick<Context, 'chain' | 'wallets'>): { payer?: string } {
  return chain.adapter.feePayer === 'GAS_WALLET' ? { payer: wallets.gas.key } : {};
}

/** Of transactions that share a nonce, the one that offers the most: only one of them can be carried out. */
export function newestOfEach(open: readonly TransactionRow[]): TransactionRow[] {
  const newest = new Map<string, TransactionRow>();
  for (const row of open) {
    const name = `${row.senderKey}/${String(row.nonce)}`;
    const other = newest.get(name);
    if (!other || row.maxPerGas >= other.maxPerGas) newest.set(name, row);
  }
  return [...newest.values()];
}

interface TransactionOrder {
  readonly purpose: TransactionPurpose;
  readonly payoutId: string | null;
  /** For a sweep or a top-up: the payout that it is made for. */
  readonly forPayoutId?: string | null;
  readonly purse: Purse;
  readonly to: string;
  readonly amount: bigint;
  readonly quote: Quote;
  /** The currency to send; default: the purse's. */
  readonly currency?: string;
}

/**
 * Signs and stores a transaction. Returns false and does nothing if the sender signed something since the purse was
 * read, or if the payout needs no transaction any more; the caller then decides again.
 */
export async function signTransaction(ctx: Context, order: TransactionOrder): Promise<boolean> {
  const { adapter } = ctx.chain;
  const { purse, payoutId, forPayoutId = null } = order;
  if (isChainAhead(ctx, purse)) return false;
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
 * Whether the chain counts more transactions of a sender than the book has signed. Either the node is wrong, or the
 * keys were used elsewhere, which the comparison and the watcher detect. If the node is wrong, a transaction with the
 * chain's nonce would wait forever for the missing ones before it.
 */
function isChainAhead({ warn }: Context, { wallet: { key }, nextNonce, chainNonce }: Purse): boolean {
  if (chainNonce <= nextNonce) return false;
  const fields = { address: key, book: nextNonce, chain: chainNonce };
  warn(
    `nonce ${key}`,
    fields,
    'a node counts more transactions of a sender than were signed: nothing is signed for it',
  );
  return true;
}

type Signing = Omit<TransactionOrder, 'purse' | 'currency'> & {
  readonly purse: { readonly wallet: Pick<Wallet, 'key' | 'path'> };
  readonly currency: string;
  readonly nonce: number;
};

/** Signs and stores a transaction. The sender's row must be locked. */
export async function signAndStore(ctx: Context, em: EntityManager, signing: Signing): Promise<void> {
  const { chain, deps, signer } = ctx;
  const { purpose, payoutId, forPayoutId = null, currency, amount, nonce, quote, to } = signing;
  const { gas, fees, anchor } = quote;
  const { key: senderKey, path: senderPath } = signing.purse.wallet;
  const { adapter } = chain;
  const recipientKey = adapter.parseAddress(to)?.key;
  if (recipientKey === undefined) throw new Error(`Not an address: ${to}`);
  const { gas: gasWallet } = ctx.wallets;
  const payerKey = adapter.feePayer === 'GAS_WALLET' ? gasWallet.key : null;
  const unsigned = adapter.buildTransaction({ ...payerOf(ctx), from: senderKey, to, currency, amount, nonce, quote });
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
  deps.log.info({ network: adapter.network, transferId: id, purpose, payoutId, txHash, nonce }, 'transaction signed');
}
