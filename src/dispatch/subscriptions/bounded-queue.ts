// A bounded queue between one publisher and one subscriber, exposed as an async iterator. It is written by hand because
// a generator's `return` waits behind a pending `next`, and here it must end that `next`.

import { GatewayError } from '../../values/errors.ts';
import type { CrowdedQueue, Backpressure } from './backpressure.ts';

export interface BoundedQueue<Value> extends AsyncIterableIterator<Value>, CrowdedQueue {
  /** Adds a value. On overflow all queued values are dropped and the queue ends: its subscriber gets 9503. */
  push(value: Value): void;
  next(): Promise<IteratorResult<Value, undefined>>;
  return(): Promise<IteratorResult<Value, undefined>>;
  throw(error?: unknown): Promise<IteratorResult<Value, undefined>>;
}

type Waiter<Value> = (result: IteratorResult<Value, undefined>) => void;

const DONE = { done: true, value: undefined } as const;

interface QueueParts {
  /** Capacity. */
  readonly most: number;
  /** The publisher's backpressure; notified when the queue is more than half full. */
  readonly backpressure?: Backpressure | undefined;
  /** Called once, when either side ends the queue. */
  onEnd(): void;
}

export function createBoundedQueue<Value>({ most, backpressure, onEnd }: QueueParts): BoundedQueue<Value> {
  let values: Value[] = [];
  let waiters: Waiter<Value>[] = [];
  let ended = false;
  let overflow: GatewayError | null = null;

  function end(): void {
    if (ended) return;
    ended = true;
    values = [];
    for (const resolve of waiters) resolve(DONE);
    waiters = [];
    onEnd();
  }

  const queue: BoundedQueue<Value> = {
    most,
    waiting: () => values.length,
    push(value) {
      if (ended) return;
      const resolve = waiters.shift();
      if (resolve) return void resolve({ done: false, value });
      const waiting = values.push(value);
      if (waiting > most) {
        overflow = new GatewayError('OVERLOADED', {
          message: 'Too slow: too many updates are waiting; subscribe again',
        });
        end();
      } else if (waiting * 2 > most) backpressure?.note(queue);
    },
    next() {
      if (overflow) {
        const error = overflow;
        overflow = null;
        return Promise.reject(error);
      }
      if (ended) return Promise.resolve(DONE);
      if (values.length > 0) return Promise.resolve({ done: false, value: values.shift() as Value });
      return new Promise((resolve) => waiters.push(resolve));
    },
    return() {
      end();
      overflow = null;
      return Promise.resolve(DONE);
    },
    throw(error) {
      end();
      overflow = null;
      return Promise.reject(error instanceof Error ? error : new Error(String(error)));
    },
    [Symbol.asyncIterator]: () => queue,
  };
  return queue;
}
