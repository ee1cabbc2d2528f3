// Which of our outputs pay a payout. Pure: prices, sizes and bounds come in as figures.

/** An output as far as choosing goes. Amounts in base units. */
export interface Coin {
  readonly amount: bigint;
  /** Change of ours that is not mined yet has to be paid for too, where it offered less than what is offered now. */
  readonly parentSize: bigint;
  readonly parentFee: bigint;
}

export interface Goal<Of extends Coin> {
  /** What is paid. */
  readonly amount: bigint;
  /** Per virtual byte. */
  readonly rate: bigint;
  /** Of a transaction with so many inputs, without or with an output for change. */
  readonly sizeOf: (inputs: number, hasChange: boolean) => bigint;
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

/**
 * Chooses among coins that come in the order in which they should be taken. One that suffices alone is preferred, and of
 * these the last, which is the smallest; otherwise they are taken one after the other. Null when they do not suffice.
 * A coin that costs more to spend than it brings is never taken.
 */
export function selectCoins<Of extends Coin>(coins: readonly Of[], goal: Goal<Of>): Selection<Of> | null {
  const { rate, sizeOf, required = [], maxInputs } = goal;
  const costOfOne = rate * (sizeOf(2, false) - sizeOf(1, false));
  const worthwhile = coins.filter((coin) => coin.amount > costOfOne + burdenOf(coin, rate));
  if (required.length === 0) {
    const alone = worthwhile.filter(({ parentSize }) => parentSize === 0n).findLast((coin) => suffices([coin], goal));
    if (alone) return complete([alone], goal);
  }
  const inputs = [...required];
  for (const coin of [null, ...worthwhile]) {
    if (coin) inputs.push(coin);
    if (inputs.length > maxInputs) return null;
    if (inputs.length > 0 && suffices(inputs, goal)) return complete(inputs, goal);
  }
  return null;
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
