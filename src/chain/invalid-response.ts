// Answers that are not in the shape that a node's documentation gives them: failures of the node like any other.

import type { Network } from '../values/assets.ts';
import { ChainUnavailable } from './errors.ts';

/** An answer, or a part of one, that cannot be read. */
export class InvalidResponse extends Error {}

/** Makes a question whose malformed answers are `ChainUnavailable`. */
export function guarded<A extends unknown[], R>(
  { network }: { readonly network: Network },
  ask: (...args: A) => Promise<R>,
): (...args: A) => Promise<R> {
  return async (...args) => {
    try {
      return await ask(...args);
    } catch (error) {
      if (!(error instanceof InvalidResponse)) throw error;
      throw new ChainUnavailable(network, `the node's answer is malformed: ${error.message}`, { cause: error });
    }
  };
}

/** The fields of an answer that is to be an object. */
export function fieldsOf(value: unknown, what: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new InvalidResponse(`the ${what} is no object`);
  return value as Record<string, unknown>;
}

/** The items of an answer that is to be a list. */
export function listOf(value: unknown, what: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new InvalidResponse(`the ${what} are no list`);
  return value;
}
