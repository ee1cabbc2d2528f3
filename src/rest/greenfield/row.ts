// One row of the table of Greenfield routes: a path of BTCPay Server, our documents behind it, and the answer's shape.

import type { Caller } from '../../access/caller.ts';

/** JSON as it came or is answered. */
export type Json = Readonly<Record<string, unknown>>;

/** A request of theirs: path parameters, every value of each query parameter, and the parsed body. */
export interface GreenfieldRequest {
  readonly params: Readonly<Record<string, string>>;
  readonly query: ReadonlyMap<string, readonly string[]>;
  readonly body: Json;
  /** Null where the row needs no key. */
  readonly caller: Caller | null;
}

/** Runs one of the row's documents by its name; resolves with the field `result`. Throws what the resolver threw. */
export type Ask = (name: string, variables?: Json) => Promise<Json>;

/** `path` is below /api/v1, parameters as `:name`; `:storeId` has to be the caller's merchant. */
export interface GreenfieldRow {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  /**
   * GraphQL documents by name, each with a root field called `result`. The caller needs what each of them needs;
   * without any, no key.
   */
  readonly documents: Readonly<Record<string, string>>;
  /** What is missing when the row answers 404. */
  readonly missing?: 'invoice' | 'webhook';
  /** Throws 2001 with faults whose paths are theirs, or in the terms of our input. */
  answer(ask: Ask, request: GreenfieldRequest): Promise<unknown>;
}
