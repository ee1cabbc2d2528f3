// A bounded queue between one publisher and one reader, as the iterator a subscription wants. A hand-made iterator and
// no generator: `return` must end a `next` that waits, and a generator would make it wait behind that.

import { GatewayError } from '../../values/errors.ts';
import type { Crowded, Pace } from './backpressure.ts';

export interface LiveQueue<Value> extends AsyncIterableIterator<Value>, Crowded {
  /** Adds a value. One too many drops all that wait and ends the queue: its reader then gets 9503. */
  push(value: Value): void;
  next(): Promise<IteratorResult<Value, undefined>>;
  return(): Promise<IteratorResult<Value, undefined>>;
  throw(error?: unknown): Promise<IteratorResult<Value, undefined>>;
}

type Waiter<Value> = (result: IteratorResult<Value, undefined>) => void;

const DONE = { done: true, value: undefined } as const;

interface QueueParts {
  /** Values that may wait. */
  readonly most: number;
  /** Its publisher's, which is told when more than half of them do. */
  readonly pace?: Pace | undefined;
  /** Called once, whichever side ends it. */
  onEnd(): void;
}

/** Makes a queue. */
export function createLiveQueue<Value>({ most, pace, onEnd }: QueueParts): LiveQueue<Value> {
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

  const queue: LiveQueue<Value> = {
    most,
    waiting: () => values.length,
    push(value) {
      if (ended) return;
      const resolve = waiters.shift();
      if (resolve) return void resolve({ done: false, value });
      const waiting = values.push(value);
      if (waiting > most) {
        overflow = new GatewayError('OVERLOADED', {
          message: 'Too slow: more updates wait than are kept; subscribe again',
        });
        end();
      } else if (waiting * 2 > most) pace?.note(queue);
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
