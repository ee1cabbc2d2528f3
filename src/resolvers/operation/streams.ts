// What the resolvers of subscriptions share: how a stream is opened, and how its items are shown.

import type { GraphQLResolveInfo } from 'graphql';
import { GatewayError } from '../../values/errors.ts';
import type { Context } from './context.ts';

/** The source passed to open a subscription's stream; any other source is an item of the stream, to be shown. */
const OPENING = Object.freeze({});

interface Opening {
  readonly args: Record<string, unknown>;
  readonly context: Context;
  readonly info: GraphQLResolveInfo;
}

/**
 * type-graphql calls `subscribe` without the resolver's instance. The field's own resolver has it, and all checks of an
 * operation as well, so the stream is opened through that.
 */
export async function open({ args, context, info }: Opening): Promise<AsyncIterable<unknown>> {
  const field = info.parentType.getFields()[info.fieldName];
  return (await field?.resolve?.(OPENING, args, context, info)) as AsyncIterable<unknown>;
}

/** Whether the resolver is called to open its stream. */
export const isOpening = (source: object | undefined): boolean => source === OPENING;

/** Throws 2004 for what is not there. */
export function found<Value>(value: Value | null): Value {
  if (value === null) throw new GatewayError('NOT_FOUND');
  return value;
}

/** An item of a stream. A subscription executed like a query, as over HTTP, has no source. */
export function itemOf<Item>(source: object | undefined): Item {
  if (source === undefined)
    throw new GatewayError('VALIDATION', { message: 'Subscriptions need a web socket, or /graphql/stream' });
  return source as Item;
}

/** Maps an iterator, one item after the other. Not a generator, whose `return` would wait behind a pending `next`. */
export function mapped<From, To>(
  items: AsyncIterableIterator<From>,
  map: (item: From) => To | Promise<To>,
): AsyncIterableIterator<To> {
  const mapResult = async (result: IteratorResult<From>): Promise<IteratorResult<To>> =>
    result.done ? { done: true, value: undefined } : { done: false, value: await map(result.value) };
  const iterator: AsyncIterableIterator<To> = {
    next: () => items.next().then(mapResult),
    async return() {
      await items.return?.();
      return { done: true, value: undefined };
    },
    async throw(error) {
      await items.return?.();
      throw error;
    },
    [Symbol.asyncIterator]: () => iterator,
  };
  return iterator;
}
