// Acting on the test chain. Nothing here writes a payment: it moves the chain and waits, for a short while, until the
// watcher has read it that far, so that the answer shows what the move did.

import type { TestChainControl } from '../chain/test-chain.ts';
import { readCursor } from '../database/queries/chain/chain-cursor.ts';
import { parseAmount } from '../values/amount.ts';
import { assetOf, parseNetwork, type Network } from '../values/assets.ts';
import { GatewayError, invalid } from '../values/errors.ts';
import type { Deps } from './deps.ts';
import { getPayment } from './payments/read-and-cancel.ts';
import type { PaymentSnapshot } from './snapshots/payment.ts';

export type { TestChainControl };
type Simulations = ReadonlyMap<string, TestChainControl>;

export interface DepositRequest {
  readonly paymentId: string;
  readonly amount?: string | null;
  readonly confirmations?: number | null;
}

const LOOK_EVERY_MS = 20;
/** Ten seconds of looking. Looks are counted and not time: while this process stands still, nobody else of it moves either. */
const MOST_LOOKS = 500;

/** Pays an order from the faucet. Errors: 2001, 2004, 3001, 3007. */
export async function depositOnTestChain(
  deps: Deps,
  simulations: Simulations,
  merchantId: string,
  request: DepositRequest,
): Promise<PaymentSnapshot> {
  const payment = await getPayment(deps, merchantId, request.paymentId);
  const simulation = simulationOf(simulations, payment.network);
  const { currency, address, network, requiredConfirmations } = payment;
  const { txHash } = await simulation.deposit({
    address,
    currency,
    amount: amountToPay(payment, request.amount ?? null),
    confirmations: request.confirmations ?? requiredConfirmations - 1,
  });
  deps.signals.chain(network);
  return waitFor(
    () => getPayment(deps, merchantId, payment.id),
    (seen) => hasSeen(seen, txHash, request.confirmations ?? requiredConfirmations - 1),
  );
}

/** Mines blocks. Errors: 3001, 3007. */
export async function mineOnTestChain(deps: Deps, simulations: Simulations, code: string, count: number) {
  return moveChain(deps, simulations, code, (simulation) => simulation.mine(count));
}

/** Reorganises. Errors: 2001 for a depth that cannot be, 3001, 3007. */
export async function reorgTestChain(deps: Deps, simulations: Simulations, code: string, depth: number) {
  return moveChain(deps, simulations, code, (simulation) => simulation.reorg(depth));
}

async function moveChain(
  deps: Deps,
  simulations: Simulations,
  code: string,
  move: (simulation: TestChainControl) => Promise<{ height: number }>,
): Promise<{ network: Network; tip: number }> {
  const network = parseNetwork(code);
  if (network === null) throw new GatewayError('UNSUPPORTED_ASSET');
  const { height } = await move(simulationOf(simulations, network));
  deps.signals.chain(network);
  await waitFor(
    () => readCursor(deps.db.em, network),
    (cursor) => cursor !== null && cursor.height >= height,
  );
  return { network, tip: height };
}

function simulationOf(simulations: Simulations, network: Network): TestChainControl {
  const simulation = simulations.get(network);
  if (!simulation) throw new GatewayError('NETWORK_UNAVAILABLE', { message: `${network} has no test chain here` });
  return simulation;
}

/** What is asked for, or what is still due; the whole amount where nothing is due any more. */
function amountToPay(payment: PaymentSnapshot, asked: string | null): bigint {
  const { decimals } = assetOf(payment);
  const parse = (text: string) => parseAmount(text, decimals);
  if (asked !== null) {
    const units = parse(asked);
    if (units === null) throw invalid([{ path: 'input.amount', message: `has more than ${decimals} decimals` }]);
    if (units > 10n ** BigInt(decimals + 6)) throw new GatewayError('ABOVE_MAXIMUM');
    return units;
  }
  const amount = parse(payment.amount) ?? 0n;
  // Refunded before it ever succeeded, money does not count as received (contract, section 5).
  const givenBack = payment.completedAt === null ? (parse(payment.amountRefunded) ?? 0n) : 0n;
  const due = amount - (parse(payment.amountReceived) ?? 0n) + givenBack;
  return due > 0n ? due : amount;
}

function hasSeen(payment: PaymentSnapshot, txHash: string, confirmations: number): boolean {
  const transaction = payment.transactions.find((candidate) => candidate.txHash === txHash);
  return transaction !== undefined && transaction.status !== 'ORPHANED' && transaction.confirmations > confirmations;
}

/** Reads until it is as hoped for, or patience runs out: then the answer is simply the present state. */
async function waitFor<Value>(read: () => Promise<Value>, done: (value: Value) => boolean): Promise<Value> {
  for (let nth = 1; ; nth += 1) {
    const value = await read();
    if (done(value) || nth === MOST_LOOKS) return value;
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}
