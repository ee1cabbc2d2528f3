// What the package exports: the client, its errors and its types. Webhooks have an entry of their own.

export { Turnpike, type Listing } from './client.ts';
export type { CallOptions, TurnpikeOptions } from './options.ts';
export * from './errors.ts';
export type { BodyOf, DataOf, ItemOf, OperationName, QueryOf, RequestOf, Schemas } from './types.ts';
export type { LiveOptions } from './live/live.ts';
export { NAME, VERSION } from './generated/package.ts';
