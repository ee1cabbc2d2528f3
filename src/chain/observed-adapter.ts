// An adapter that tells of every question to its nodes: which one, whether it was answered, and how long it took.

import { traced } from '../tracing.ts';
import type { ChainAdapter } from './adapter.ts';
import { ChainUnavailable, PriceTooHigh } from './errors.ts';

/** The methods that ask a node. */
const ASKS = [
  ...['verify', 'tip', 'headAt', 'next', 'following', 'isCanonical', 'mempool', 'txState', 'conflictAt'],
  ...['requireQuorum', 'hasAccount', 'agreed', 'balances', 'nonces', 'pendingNonces', 'fees', 'quote', 'hasExpired'],
  ...['broadcast', 'receipt', 'finalizedHeight', 'unspent', 'rawTransaction'],
] as const;
export type Question = (typeof ASKS)[number];

const QUESTIONS: ReadonlySet<unknown> = new Set(ASKS);

/** A question that ended. */
export interface ObservedQuestion {
  readonly method: string;
  /** A refusal of a transaction is an answer, too; `failed`: nothing is known. */
  readonly outcome: 'answered' | 'failed';
  readonly seconds: number;
}

type Ask = (...args: unknown[]) => Promise<unknown>;

/** Wraps an adapter. `tell` is called for what others ask of it, not for what it asks of itself. */
export function observeAdapter<Adapter extends ChainAdapter>(
  adapter: Adapter,
  tell: (question: ObservedQuestion) => void,
): Adapter {
  const wrapped = new WeakMap<Ask, Ask>();
  const observe = (method: string, ask: Ask): Ask => {
    return async (...args) => {
      const startedAt = performance.now();
      let outcome: ObservedQuestion['outcome'] = 'answered';
      try {
        return await traced(`${method} of ${adapter.network}`, 'within', {}, () => Reflect.apply(ask, adapter, args));
      } catch (error) {
        if (error instanceof ChainUnavailable && !(error instanceof PriceTooHigh)) outcome = 'failed';
        throw error;
      } finally {
        tell({ method, outcome, seconds: (performance.now() - startedAt) / 1_000 });
      }
    };
  };
  return new Proxy(adapter, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function' || !QUESTIONS.has(name)) return value;
      const ask = value as Ask;
      const known = wrapped.get(ask) ?? observe(String(name), ask);
      wrapped.set(ask, known);
      return known;
    },
  });
}
