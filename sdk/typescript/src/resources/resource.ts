// What all groups of calls share.

import type { CallOptions } from '../options.ts';
import { Listing } from '../paging.ts';
import type { DataOf, ItemOf, OperationName, QueryOf, RequestOf } from '../types.ts';

/** What makes the calls: the client. */
export interface Caller {
  call<N extends OperationName>(name: N, request?: RequestOf<N>, options?: CallOptions): Promise<DataOf<N>>;
  text<N extends OperationName>(name: N, request?: RequestOf<N>, options?: CallOptions): Promise<string>;
}

/** Operations that answer one page of a list. */
export type Paged = {
  [N in OperationName]: DataOf<N> extends { items: readonly unknown[]; pagination: object } ? N : never;
}[OperationName];

/** The filters of a list; where a page begins is the loop's affair. */
export type Filter<N extends OperationName> = Omit<QueryOf<N>, 'cursor' | 'format'>;

/** A group of calls. */
export abstract class Resource {
  protected readonly client: Caller;

  constructor(client: Caller) {
    this.client = client;
  }

  /** A list that is read by its cursor; `path` has the id of what it belongs to. */
  protected listing<N extends Paged>(
    name: N,
    filter: Filter<N>,
    options?: CallOptions,
    path: Readonly<Record<string, string>> = {},
  ): Listing<ItemOf<N>> {
    return new Listing(async (cursor) => {
      const query = { ...filter, ...(cursor !== null && { cursor }) } as QueryOf<N>;
      const data = await this.client.call(name, { path, query }, options);
      const { items, pagination } = data as unknown as {
        items: ItemOf<N>[];
        pagination: { nextCursor: string | null; hasMore: boolean };
      };
      return { items, next: pagination.hasMore ? pagination.nextCursor : null };
    });
  }
}
