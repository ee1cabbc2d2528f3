// Lists, read page by page as they are looped over.

/** One page of a list. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** Where the next page begins; null after the last one. */
  readonly next: string | null;
}

/**
 * A list that is read as it is looped over: `for await (const payment of client.payments.list())`. Nothing is asked for
 * before the loop begins, and no page after the one where it ends.
 */
export class Listing<Item> implements AsyncIterable<Item> {
  readonly #read: (position: string | null) => Promise<Page<Item>>;

  constructor(read: (position: string | null) => Promise<Page<Item>>) {
    this.#read = read;
  }

  /** One page: the first, or the one that begins at the `next` of another. */
  page(position: string | null = null): Promise<Page<Item>> {
    return this.#read(position);
  }

  /** Page after page. */
  async *pages(): AsyncGenerator<Page<Item>, void, undefined> {
    for (let position: string | null = null; ;) {
      const page: Page<Item> = await this.#read(position);
      yield page;
      if (page.next === null) return;
      position = page.next;
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const { items } of this.pages()) yield* items;
  }

  /** The first items, at most `limit` of them. */
  async toArray(limit = Infinity): Promise<Item[]> {
    const all: Item[] = [];
    for await (const item of this) {
      all.push(item);
      if (all.length >= limit) break;
    }
    return all;
  }
}
