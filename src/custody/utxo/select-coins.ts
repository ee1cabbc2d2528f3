// Which of our outputs pay a payout. Pure: prices, sizes and bounds come in as figures.

import { costOfOne, LEAST_WORTH, type Prices } from '../../domain/payouts/sendable.ts';

/** An output as far as choosing goes. Amounts in base units. */
export interface Coin {
  readonly amount: bigint;
  /** Change of ours that is not mined yet has to be paid for too, where it offered less than what is offered now. */
  readonly parentSize: bigint;
  readonly parentFee: bigint;
  /** How many transactions of ours have to be mined for it first, and what they take up; none where it is in a block. */
  readonly ancestors: number;
  readonly ancestorSize: bigint;
}

export interface Goal<Of extends Coin> extends Prices {
  /** What is paid. */
  readonly amount: bigint;
  /** Change below it is left to the miner. */
  readonly leastChange: bigint;
  /** Spent in any case: those of a transaction that is replaced. */
  readonly required?: readonly Of[];
  readonly maxInputs: number;
}

export interface Selection<Of extends Coin> {
  readonly inputs: readonly Of[];
  /** Null where there is none. */
  readonly change: bigint | null;
  readonly fee: bigint;
  readonly size: bigint;
}

/** What nodes keep waiting: 25 transactions one upon the other, of 101,000 virtual bytes together, its own counted. */
const MAX_ANCESTORS = 24;
const MAX_CHAIN_SIZE = 100_000n;

/**
 * Chooses among coins that come in the order in which they should be taken. One that suffices alone is preferred, and of
 * these the last, which is the smallest; otherwise they are taken one after the other, and largest first where these are
 * too many. Null when they do not suffice.
 */
export function selectCoins<Of extends Coin>(coins: readonly Of[], goal: Goal<Of>): Selection<Of> | null {
  const { rate, required = [] } = goal;
  const worthwhile = coins.filter((coin) => coin.amount >= LEAST_WORTH * costOfOne(goal) + burdenOf(coin, rate));
  if (required.length === 0) {
    const alone = worthwhile.filter(({ parentSize }) => parentSize === 0n).findLast((coin) => suffices([coin], goal));
    if (alone) return complete([alone], goal);
  }
  return accumulate(worthwhile, goal) ?? accumulate(worthwhile.toSorted(byAmount), goal);
}

const byAmount = (a: Coin, b: Coin): number => (a.amount === b.amount ? 0 : a.amount > b.amount ? -1 : 1);

function accumulate<Of extends Coin>(coins: readonly Of[], goal: Goal<Of>): Selection<Of> | null {
  const inputs = [...(goal.required ?? [])];
  for (const coin of [null, ...coins]) {
    if (coin && !isPassedOn([...inputs, coin], goal)) continue;
    if (coin) inputs.push(coin);
    if (inputs.length > goal.maxInputs) return null;
    if (inputs.length > 0 && suffices(inputs, goal)) return complete(inputs, goal);
  }
  return null;
}

/** Whether nodes let a transaction wait behind those that its coins come from. */
function isPassedOn(coins: readonly Coin[], { sizeOf }: Pick<Goal<Coin>, 'sizeOf'>): boolean {
  const last = coins.at(-1);
  if (!last || last.ancestors === 0) return true;
  const ancestors = coins.reduce((sum, coin) => sum + coin.ancestors, 0);
  const size = coins.reduce((sum, coin) => sum + coin.ancestorSize, sizeOf(coins.length, true));
  return ancestors <= MAX_ANCESTORS && size <= MAX_CHAIN_SIZE;
}

function suffices<Of extends Coin>(inputs: readonly Of[], goal: Goal<Of>): boolean {
  return total(inputs) >= goal.amount + feeOf(inputs, goal, false);
}

/** What is left over becomes change where that pays; otherwise it goes to the miner with the fee. */
function complete<Of extends Coin>(inputs: readonly Of[], goal: Goal<Of>): Selection<Of> {
  const { amount, leastChange, sizeOf } = goal;
  const change = total(inputs) - amount - feeOf(inputs, goal, true);
  const hasChange = change >= leastChange;
  return {
    inputs,
    change: hasChange ? change : null,
    fee: total(inputs) - amount - (hasChange ? change : 0n),
    size: sizeOf(inputs.length, hasChange),
  };
}

function feeOf<Of extends Coin>(inputs: readonly Of[], { rate, sizeOf }: Goal<Of>, hasChange: boolean): bigint {
  return inputs.reduce((sum, coin) => sum + burdenOf(coin, rate), rate * sizeOf(inputs.length, hasChange));
}

/** What the transaction that a coin comes from lacks to be as dear as this one: miners look at both together. */
function burdenOf({ parentSize, parentFee }: Coin, rate: bigint): bigint {
  const lacking = rate * parentSize - parentFee;
  return lacking > 0n ? lacking : 0n;
}

function total(coins: readonly Coin[]): bigint {
  return coins.reduce((sum, { amount }) => sum + amount, 0n);
}
