// Pays payouts on account chains: each is a transaction from the hot wallet, ordered by nonce.

import { ChainUnavailable, TransactionRefused } from '../../chain/errors.ts';
import { maxCostOf } from '../../chain/transactions.ts';
import type { DuePayout } from '../../database/queries/payouts/due-payouts.ts';
import { addSender, readSender } from '../../database/queries/payouts/nonces.ts';
import { findOpenTransactions, markExpired, type TransactionRow } from '../../database/queries/payouts/transactions.ts';
import {
  isStalled,
  type AccountContext as Context,
  type Followed,
  type Funding,
  type LookResult,
  type Payer,
  type Unmined,
} from '../context.ts';
import { fundHotWallet, fundHotWalletGas, fundSender, ensureGasWallet } from './fund-payouts.ts';
import { failUnpayable } from '../fail-payout.ts';
import { keepHoldings } from '../sweeps/keep-holdings.ts';
import { processPayouts } from '../process-payouts.ts';
import { isAffordable, checkRecipient, servedBy } from '../payout-cost.ts';
import { agreed, readFinalHeight } from '../transactions/finality.ts';
import { replace } from '../transactions/replace.ts';
import { signFiller } from '../transactions/sign-replacement.ts';
import { newestOfEach, payerOf, readFirstNonce, readPurse, signTransaction } from '../transactions/sign.ts';

/** After this many transactions that were mined and reverted for good, the payout fails. */
const MAX_FAILURES = 2;
/** How many payouts of one currency the hot wallet is funded for at once. */
const WAITING_AT_ONCE = 5;

export function createAccountPayer(ctx: Context): Payer {
  const { adapter } = ctx.chain;
  return {
    open: () => makeWalletsKnown(ctx),
    payDue: (unmined) => payDue(ctx, unmined),
    tidyUp: () => Promise.resolve(false),
    fundSenders: (followed) => fundSenders(ctx, followed),
    isDead: (row) => isDead(ctx, row),
    replace: (row) => replace(ctx, row),
    retire: async (em, row) => {
      if (adapter.replaceable) await signFiller(ctx, em, row);
      else await markExpired(em, row.id);
    },
    onFinal: (em, row, result) => keepHoldings(ctx, em, row, result),
    onReopened: (em, row, result) => keepHoldings(ctx, em, row, result, -1n),
  };
}

async function makeWalletsKnown({ chain, wallets, deps }: Context): Promise<void> {
  const { hot, gas } = wallets;
  const { adapter } = chain;
  const { em } = deps.db;
  for (const { key, role } of [hot, gas])
    if ((await readSender(em, adapter.network, key)) === null)
      await addSender(em, adapter.network, { key, role, nonce: await readFirstNonce(adapter, { key, role }) });
}

interface Claim {
  readonly count: number;
  readonly units: bigint;
}

/** State shared by the payouts of one round. */
interface Round {
  readonly unmined: Unmined;
  /** By currency: how many payouts wait for money on its way, and how many base units they will take. */
  readonly claims: Map<string, Claim>;
  /** By currency: the smallest amount that was found to be unavailable. */
  readonly unavailable: Map<string, bigint>;
}

/** Signs a transaction for each payout that can be paid. A waiting payout does not hold up smaller ones behind it. */
async function payDue(ctx: Context, followed: Unmined): Promise<boolean> {
  // Replacements signed in this round are under way too.
  const unmined = followed.some((row) => isStalled(ctx, row)) ? await unminedNow(ctx, followed) : followed;
  const shared = { claims: new Map<string, Claim>(), unavailable: new Map<string, bigint>() };
  return processPayouts(ctx, async (payout, progressed) => {
    const { currency, amount } = payout;
    const unavailable = shared.unavailable.get(currency);
    if (unavailable !== undefined && amount >= unavailable) return 'MISSING_FUNDS';
    // Transactions signed in this round are on their way too.
    const look = await pay(ctx, payout, { ...shared, unmined: progressed ? await unminedNow(ctx, unmined) : unmined });
    if (look === 'MISSING_FUNDS') shared.unavailable.set(currency, amount);
    return look;
  });
}

async function unminedNow({ deps, chain }: Context, unmined: Unmined): Promise<Unmined> {
  const open = await findOpenTransactions(deps.db.em, chain.adapter.network);
  const known = new Set(unmined.map(({ id }) => id));
  return newestOfEach(open.filter(({ id, status }) => known.has(id) || status === 'SIGNED'));
}

async function pay(ctx: Context, payout: DuePayout, round: Round): Promise<LookResult> {
  const { chain, wallets, coin } = ctx;
  const { adapter } = chain;
  const { currency, amount } = payout;
  if (payout.failures >= MAX_FAILURES) return failUnpayable(ctx, payout, 'its transactions were mined and reverted');
  const purse = await readPurse(ctx, wallets.hot, currency);
  const wanted = amount + remainderOf(ctx, currency, purse.units - amount);
  if (purse.units < wanted) return fund(ctx, payout, { wanted, held: purse.units }, round);
  const request = { ...payerOf(ctx), from: wallets.hot.key, to: payout.address, currency, amount };
  const quote = await adapter.quote(request, { ...request, to: wallets.gas.address });
  await checkRecipient(ctx, payout, request, quote);
  const cost = maxCostOf(quote);
  if (!(await isAffordable(ctx, { payoutId: payout.id, cost }))) return 'TOO_EXPENSIVE';
  if (adapter.feePayer === 'GAS_WALLET') {
    const funded = await ensureGasWallet(ctx, cost);
    if (funded !== null) return waits(funded);
  } else {
    if (currency === coin.currency && purse.coin < amount + cost)
      return fund(ctx, payout, { wanted: amount + cost, held: purse.coin }, round);
    const need = { payoutId: payout.id, unmined: round.unmined };
    if (purse.coin < cost) return waits(await fundHotWalletGas(ctx, cost - purse.coin, cost, need));
  }
  const order = { purpose: 'PAYOUT', payoutId: payout.id, purse, to: payout.address, amount, quote } as const;
  return (await signTransaction(ctx, order)) ? 'over' : 'coming';
}

const waits = (funding: Funding): LookResult => (funding === 'signed' ? 'acted' : funding);

/**
 * Funds the hot wallet with what a payout lacks, in addition to what others of the round wait for. When many wait for
 * the same currency, the rest are tried once some of it has arrived.
 */
async function fund(
  ctx: Context,
  { id: payoutId, currency }: DuePayout,
  { wanted, held }: { wanted: bigint; held: bigint },
  { claims, unmined }: Round,
): Promise<LookResult> {
  const { count, units } = claims.get(currency) ?? { count: 0, units: 0n };
  if (count === WAITING_AT_ONCE) return 'coming';
  const look = waits(await fundHotWallet(ctx, currency, wanted + units - held, { payoutId, unmined, own: wanted }));
  if (look === 'acted' || look === 'coming') claims.set(currency, { count: count + 1, units: units + wanted });
  return look;
}

/** What must remain after a payment, given what would be left: the chain's reserve, or exactly nothing. */
function remainderOf({ chain, coin }: Context, currency: string, left: bigint): bigint {
  return currency === coin.currency && left !== 0n ? chain.adapter.reserve : 0n;
}

/** Funds senders whose signed transactions lost their money to a reorganisation. */
async function fundSenders(ctx: Context, { underfunded, unmined }: Followed): Promise<boolean> {
  let funded = false;
  const seen = new Set<string>();
  for (const row of underfunded) {
    const { senderKey, currency } = row;
    const name = `${senderKey}/${currency}`;
    if (seen.has(name)) continue;
    seen.add(name);
    try {
      funded =
        (await fundSender(ctx, senderKey, currency, { payoutId: servedBy(row), unmined })) === 'signed' || funded;
    } catch (error) {
      // A token that does not answer must not affect senders of other currencies.
      if (!(error instanceof ChainUnavailable || error instanceof TransactionRefused)) throw error;
      ctx.warn(
        `fund ${name}`,
        { err: error, address: senderKey, currency },
        'a sender that lacks money cannot be funded',
      );
    }
  }
  return funded;
}

/**
 * Whether a transaction can never be mined any more. Where transactions are valid for a limited time, that time is
 * over; where they have nonces, another transaction took the nonce in a final block. Two nodes must agree where there
 * are two.
 */
async function isDead({ chain }: Context, row: TransactionRow): Promise<boolean> {
  const { adapter, requiredConfirmations } = chain;
  const { txHash, validUntil, raw, senderKey, nonce } = row;
  if (validUntil !== null) {
    const transfer = { txHash, validUntil, raw };
    if (!(await adapter.hasExpired(transfer))) return false;
    return agreed(adapter, (node) => (node.model === 'ACCOUNT' ? node.hasExpired(transfer) : Promise.resolve(false)));
  }
  if (row.refusal !== 'NONCE') return false;
  const spends = `${senderKey}:${String(nonce)}`;
  return agreed(adapter, async (node) => {
    const final = await readFinalHeight(node, requiredConfirmations);
    return final >= 0 && (await node.conflictAt({ txHash, spends }, final)) !== null;
  });
}
