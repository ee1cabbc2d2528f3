// Handles node responses of an unexpected shape: they count as failures of the node (`ChainUnavailable`).

import type { Network } from '../values/assets.ts';
import { ChainUnavailable } from './errors.ts';

/** A response, or a part of one, that cannot be parsed. */
export class InvalidResponse extends Error {}

/** Wraps a function so that it throws `ChainUnavailable` instead of `InvalidResponse`. */
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

/** The fields of a value that must be an object. */
export function fieldsOf(value: unknown, what: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new InvalidResponse(`the ${what} is not an object`);
  return value as Record<string, unknown>;
}

/** The items of a value that must be a list. */
export function listOf(value: unknown, what: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new InvalidResponse(`the ${what} are not a list`);
  return value;
}
