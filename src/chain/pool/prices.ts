// What is offered for a transaction, by all nodes of a network: the median of what they ask for. One that lies, or is on a
// branch of its own, would have us pay what it likes, or wait for ever.

import type { ChainAdapter } from '../adapter.ts';
import { ChainUnavailable, PriceTooHigh, TransactionRefused } from '../errors.ts';
import type { Anchor, Fees, Quote } from '../transactions.ts';
import { ask, type PoolNode } from './node-health.ts';

/** After the first answer the others are waited for so long. */
const WAIT_FOR_OTHERS_MS = 1_500;

type Told<Value> = { readonly value: Value } | { readonly error: unknown };

/**
 * Makes `fees` and, for chains of accounts, `quote` of several nodes. Prices are medians, part by part, of two the lower;
 * all else of a quote, but for the end of its time, and what a node refuses, is the word of the best node that answers. Throws `PriceTooHigh` when that
 * is the median's word.
 */
export function createPrices(able: () => PoolNode[]) {
  async function fees(...args: Parameters<ChainAdapter['fees']>): Promise<Fees> {
    const told = await tellAll(able(), (adapter) => adapter.fees(...args));
    return medianOf(told, firstOf(told));
  }

  async function quote(...args: unknown[]): Promise<Quote> {
    const told = await tellAll(able(), (adapter) => {
      if (adapter.model !== 'ACCOUNT') throw new Error('Only transfers between accounts are quoted');
      return (adapter.quote as (...given: unknown[]) => Promise<Quote>)(...args);
    });
    const best = firstOf(told);
    const prices = told.map((one) => one && ('value' in one ? { value: one.value.fees } : one));
    const anchors = told.map((one) => (one && 'value' in one ? one.value.anchor : null));
    return { ...best, fees: medianOf(prices, best.fees), anchor: latest(best.anchor, anchors) };
  }

  return { fees, quote };
}

/**
 * An anchor whose end is the latest that anybody tells, where ends are heights: they are not in what is signed, and one that
 * is told too early would have another transaction signed beside one that can still be mined.
 */
function latest(best: Anchor | null, told: readonly (Anchor | null)[]): Anchor | null {
  if (best === null || best.ends !== 'HEIGHT') return best;
  return { ...best, validUntil: Math.max(...told.map((one) => one?.validUntil ?? 0), best.validUntil) };
}

/** What each says, in their order; null for those that take too long after the first has answered. */
async function tellAll<Value>(
  nodes: readonly PoolNode[],
  question: (adapter: ChainAdapter) => Promise<Value>,
): Promise<readonly (Told<Value> | null)[]> {
  const asked = nodes.map((node) =>
    ask(node, question).then(
      (value): Told<Value> => ({ value }),
      (error: unknown): Told<Value> => ({ error }),
    ),
  );
  const isAnswer = (told: Told<Value>) => 'value' in told || !(told.error instanceof ChainUnavailable);
  const answers = asked.map((one) => one.then((told) => (isAnswer(told) ? told : Promise.reject(new Error()))));
  await Promise.any(answers).catch(() => null);
  const stop = Promise.withResolvers<null>();
  const timer = setTimeout(() => stop.resolve(null), WAIT_FOR_OTHERS_MS);
  try {
    return await Promise.all(asked.map((one) => Promise.race([one, stop.promise])));
  } finally {
    clearTimeout(timer);
  }
}

/** The best node's answer, be it a refusal; what the first failed with where none has answered. */
function firstOf<Value>(told: readonly (Told<Value> | null)[]): Value {
  let failure: unknown = null;
  for (const one of told) {
    if (one === null) continue;
    if ('value' in one) return one.value;
    if (one.error instanceof TransactionRefused || !(one.error instanceof ChainUnavailable)) throw one.error;
    failure ??= one.error;
  }
  throw failure;
}

/** Part by part; a node whose price is above the limit counts as dearer than all. */
function medianOf(told: readonly (Told<Fees> | null)[], model: Fees): Fees {
  const prices = told.flatMap((one) => (one && 'value' in one ? [one.value] : []));
  const tooHigh = told.flatMap((one) =>
    one && 'error' in one && one.error instanceof PriceTooHigh ? [one.error] : [],
  );
  const place = Math.floor((prices.length + tooHigh.length - 1) / 2);
  if (place >= prices.length) throw tooHigh[0] ?? new Error('No node told a price');
  const at = (parts: readonly bigint[]): bigint => [...parts].sort((a, b) => (a < b ? -1 : 1))[place] ?? 0n;
  const maxPerGas = at(prices.map((price) => price.maxPerGas));
  if (model.tipPerGas === null) return { maxPerGas, tipPerGas: null };
  const tip = at(prices.map(({ tipPerGas }) => tipPerGas ?? 0n));
  return { maxPerGas, tipPerGas: tip < maxPerGas ? tip : maxPerGas };
}
