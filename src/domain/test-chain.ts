// Simulations on the test chain. They move the chain and never write a payment; then they wait a little for the watcher
// to catch up, so that the answer shows the effect.

import { ChainUnavailable } from '../chain/errors.ts';
import type { TestChainControl } from '../chain/test-chain.ts';
import { readCursor } from '../database/queries/chain/chain-cursor.ts';
import { parseAmount } from '../values/amount.ts';
import { assetOf, type Network } from '../values/assets.ts';
import { GatewayError } from '../values/errors.ts';
import type { Deps } from './deps.ts';
import { getPayment } from './payments/read-and-cancel.ts';
import { readUnits, requireNetwork, requireTestChain } from './requested-amount.ts';
import type { PaymentSnapshot } from './snapshots/payment.ts';

export type { TestChainControl };
type Simulations = ReadonlyMap<string, TestChainControl>;

export interface DepositRequest {
  readonly paymentId: string;
  /** A decimal string; by default what is still due. */
  readonly amount?: string | null;
  /** Blocks on top of the including one; −1 leaves the deposit unmined. By default enough to make it final. */
  readonly confirmations?: number | null;
}

const POLL_EVERY_MS = 20;
/** Ten seconds. Polls are counted, not time: while the process is stalled, its watcher is stalled too. */
const MOST_POLLS = 500;

/** Pays an order from the faucet (contract, section 10). Errors, in the order of the checks: 2004, 3007, 2001, 3003. */
export async function depositOnTestChain(
  deps: Deps,
  simulations: Simulations,
  merchantId: string,
  request: DepositRequest,
): Promise<PaymentSnapshot> {
  const payment = await getPayment(deps, merchantId, request.paymentId);
  const simulation = requireTestChain(simulations, payment.network);
  const { currency, address, network, requiredConfirmations } = payment;
  const amount = amountToPay(payment, request.amount ?? null);
  const confirmations = request.confirmations ?? requiredConfirmations - 1;
  const { txHash } = await askChain(() => simulation.deposit({ address, currency, amount, confirmations }));
  deps.signals.chain(network);
  return waitFor(
    () => getPayment(deps, merchantId, payment.id),
    (seen) => hasSeen(seen, txHash, confirmations),
  );
}

/** Mines blocks; answers the new tip's height (contract, section 10). Errors: 3001, 3007. */
export async function mineOnTestChain(deps: Deps, simulations: Simulations, code: string, count: number) {
  return moveChain(deps, simulations, code, (simulation) => simulation.mine(count));
}

/** Replaces the newest blocks; answers the tip's height (contract, section 10). Errors: 2001 (depth), 3001, 3007. */
export async function reorgTestChain(deps: Deps, simulations: Simulations, code: string, depth: number) {
  return moveChain(deps, simulations, code, (simulation) => simulation.reorg(depth));
}

async function moveChain(
  deps: Deps,
  simulations: Simulations,
  code: string,
  move: (simulation: TestChainControl) => Promise<{ height: number }>,
): Promise<{ network: Network; tip: number }> {
  const network = requireNetwork(code);
  const simulation = requireTestChain(simulations, network);
  const { height } = await askChain(() => move(simulation));
  deps.signals.chain(network);
  await waitFor(
    () => readCursor(deps.db.em, network),
    (cursor) => cursor !== null && cursor.height >= height,
  );
  return { network, tip: height };
}

/** Throws 3007 if the node does not answer: it takes a moment until its network counts as unavailable. */
async function askChain<Value>(ask: () => Promise<Value>): Promise<Value> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof ChainUnavailable)) throw error;
    throw new GatewayError('NETWORK_UNAVAILABLE', { cause: error });
  }
}

/** The requested amount, else what is still due, else (nothing is due) the whole amount; in base units. */
function amountToPay(payment: PaymentSnapshot, requested: string | null): bigint {
  const asset = assetOf(payment);
  if (requested !== null) return readUnits('SIMULATION', asset, requested);
  const parse = (text: string) => parseAmount(text, asset.decimals) ?? 0n;
  const amount = parse(payment.amount);
  // Money refunded before the payment succeeded does not count as received (contract, section 5).
  const refunded = payment.completedAt === null ? parse(payment.amountRefunded) : 0n;
  const due = amount - parse(payment.amountReceived) + refunded;
  return due > 0n ? due : amount;
}

function hasSeen(payment: PaymentSnapshot, txHash: string, confirmations: number): boolean {
  const transaction = payment.transactions.find((candidate) => candidate.txHash === txHash);
  return transaction !== undefined && transaction.status !== 'ORPHANED' && transaction.confirmations > confirmations;
}

/** Polls until `done` or out of polls; answers the last value read either way. */
async function waitFor<Value>(read: () => Promise<Value>, done: (value: Value) => boolean): Promise<Value> {
  for (let nth = 1; ; nth += 1) {
    const value = await read();
    if (done(value) || nth === MOST_POLLS) return value;
    await new Promise((resolve) => setTimeout(resolve, POLL_EVERY_MS));
  }
}
