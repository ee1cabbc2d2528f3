// Takes fees as the median over all nodes of a network, so that a lying or forked node can neither make us overpay nor
// make our transactions wait forever.

import type { ChainAdapter } from '../adapter.ts';
import { ChainUnavailable, PriceTooHigh, TransactionRefused } from '../errors.ts';
import type { Anchor, Fees, Quote } from '../transactions.ts';
import { ask, type PoolNode } from './node-health.ts';

/** How long to wait for the other nodes after the first answer. */
const WAIT_FOR_OTHERS_MS = 1_500;

type Answer<Value> = { readonly value: Value } | { readonly error: unknown };

/**
 * Makes `fees` and, on account-based chains, `quote`. Each part of the fees is a median (of two, the lower). The rest
 * of a quote, except when it expires, and any rejection come from the best node that answers. Throws `PriceTooHigh` if
 * the median is above the limit.
 */
export function createPrices(available: () => PoolNode[]) {
  async function fees(...args: Parameters<ChainAdapter['fees']>): Promise<Fees> {
    const answers = await askAll(available(), (adapter) => adapter.fees(...args));
    return medianOf(answers, firstOf(answers));
  }

  async function quote(...args: unknown[]): Promise<Quote> {
    const answers = await askAll(available(), (adapter) => {
      if (adapter.model !== 'ACCOUNT') throw new Error('Only account-based chains give quotes');
      return (adapter.quote as (...given: unknown[]) => Promise<Quote>)(...args);
    });
    const best = firstOf(answers);
    const prices = answers.map((one) => one && ('value' in one ? { value: one.value.fees } : one));
    const anchors = answers.map((one) => (one && 'value' in one ? one.value.anchor : null));
    return { ...best, fees: medianOf(prices, best.fees), anchor: latest(best.anchor, anchors) };
  }

  return { fees, quote };
}

/**
 * The best node's anchor with the latest expiry height that any node gives. Heights are not signed, and one that is too
 * early would let us sign a second transaction while the first can still be mined.
 */
function latest(best: Anchor | null, anchors: readonly (Anchor | null)[]): Anchor | null {
  if (best === null || best.ends !== 'HEIGHT') return best;
  return { ...best, validUntil: Math.max(...anchors.map((one) => one?.validUntil ?? 0), best.validUntil) };
}

/** The nodes' answers in order; null for those that take too long after the first answer. */
async function askAll<Value>(
  nodes: readonly PoolNode[],
  question: (adapter: ChainAdapter) => Promise<Value>,
): Promise<readonly (Answer<Value> | null)[]> {
  const asked = nodes.map((node) =>
    ask(node, question).then(
      (value): Answer<Value> => ({ value }),
      (error: unknown): Answer<Value> => ({ error }),
    ),
  );
  const isAnswer = (one: Answer<Value>) => 'value' in one || !(one.error instanceof ChainUnavailable);
  const answers = asked.map((one) => one.then((answer) => (isAnswer(answer) ? answer : Promise.reject(new Error()))));
  await Promise.any(answers).catch(() => null);
  const stop = Promise.withResolvers<null>();
  const timer = setTimeout(() => stop.resolve(null), WAIT_FOR_OTHERS_MS);
  try {
    return await Promise.all(asked.map((one) => Promise.race([one, stop.promise])));
  } finally {
    clearTimeout(timer);
  }
}

/** The best node's answer, which may be a rejection. If no node answered, throws the first failure. */
function firstOf<Value>(answers: readonly (Answer<Value> | null)[]): Value {
  let failure: unknown = null;
  for (const one of answers) {
    if (one === null) continue;
    if ('value' in one) return one.value;
    if (one.error instanceof TransactionRefused || !(one.error instanceof ChainUnavailable)) throw one.error;
    failure ??= one.error;
  }
  throw failure;
}

/** The median of each part. A node whose price is above the limit counts as the most expensive. */
function medianOf(answers: readonly (Answer<Fees> | null)[], model: Fees): Fees {
  const prices = answers.flatMap((one) => (one && 'value' in one ? [one.value] : []));
  const tooHigh = answers.flatMap((one) =>
    one && 'error' in one && one.error instanceof PriceTooHigh ? [one.error] : [],
  );
  const middle = Math.floor((prices.length + tooHigh.length - 1) / 2);
  if (middle >= prices.length) throw tooHigh[0] ?? new Error('No node gave a price');
  const at = (parts: readonly bigint[]): bigint => [...parts].sort((a, b) => (a < b ? -1 : 1))[middle] ?? 0n;
  const maxPerGas = at(prices.map((price) => price.maxPerGas));
  if (model.tipPerGas === null) return { maxPerGas, tipPerGas: null };
  const tip = at(prices.map(({ tipPerGas }) => tipPerGas ?? 0n));
  return { maxPerGas, tipPerGas: tip < maxPerGas ? tip : maxPerGas };
}
