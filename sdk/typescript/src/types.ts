// The types of calls by the names of their operations, taken from the gateway's own OpenAPI document.

import type { components, operations } from './generated/api.ts';
import type { OPERATIONS } from './generated/operations.ts';

/** Every type of the API by its name: `Schemas['Payment']`. */
export type Schemas = components['schemas'];

/** The name of an operation, the same as in GraphQL and in the documents: `createPayment`. */
export type OperationName = keyof typeof OPERATIONS & keyof operations;

type Json<T> = T extends { content: { 'application/json': infer Body } } ? Body : never;
type Success<T> = Json<T[keyof T & (200 | 201)]>;

/** What an operation answers, without its envelope. */
export type DataOf<N extends OperationName> = Success<operations[N]['responses']> extends { data: infer D } ? D : never;

/** What an operation takes as its body. */
export type BodyOf<N extends OperationName> = Json<NonNullable<operations[N]['requestBody' & keyof operations[N]]>>;

/** The filters and bounds that an operation takes. */
export type QueryOf<N extends OperationName> = NonNullable<operations[N]['parameters']['query']>;

/** What one row of a list is. */
export type ItemOf<N extends OperationName> = DataOf<N> extends { items: readonly (infer Item)[] } ? Item : never;

/** All inputs of an operation: ids of its path, filters, body. */
export interface RequestOf<N extends OperationName> {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: QueryOf<N>;
  readonly body?: BodyOf<N>;
}
