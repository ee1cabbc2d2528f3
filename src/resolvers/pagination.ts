// Pagination of lists: reads page arguments and builds Relay connections. Cursors are sealed for one list of one
// merchant.

import { openCursor, sealCursor } from '../values/cursor.ts';
import { invalid } from '../values/errors.ts';
import type { Services } from './services.ts';
import { DEFAULT_PAGE, type PageArgs, type PageInfo } from './types/page.ts';

/** A page to read: at most `limit` items below the id `before` (null: from the newest). */
export interface Page {
  readonly limit: number;
  readonly before: string | null;
  readonly seal: (id: string) => string;
}

/**
 * Reads the page arguments of a list. `scope` names the list and its merchant. Throws 2001 for a cursor of another
 * list.
 */
export function openPage({ deps }: Services, scope: string, { first, after }: PageArgs): Page {
  const key = deps.secrets.digestKey;
  const before = after == null ? null : openCursor(key, scope, after);
  if (after != null && before === null) throw invalid([{ path: 'after', message: 'is not a cursor of this list' }]);
  return { limit: first ?? DEFAULT_PAGE, before, seal: (id) => sealCursor(key, scope, id) };
}

interface Connection<Node> {
  readonly nodes: Node[];
  readonly edges: { cursor: string; node: Node }[];
  readonly pageInfo: PageInfo;
}

/** Turns a page into a connection. Edges and cursors are created only if selected. */
export function toConnection<Node extends { id: string }>(
  items: readonly Node[],
  hasMore: boolean,
  page: Page,
): Connection<Node> {
  return new ShownPage([...items], hasMore, page);
}

/** Turns a page into a connection that goes on below the id `next`, whatever its last item is; null: it is the last. */
export function toConnectionBefore<Node extends { id: string }>(
  items: readonly Node[],
  next: string | null,
  page: Page,
): Connection<Node> {
  return new ShownPage([...items], next !== null, page, next);
}

// Classes, because getters in an object literal would be created anew for each page.
class ShownPage<Node extends { id: string }> implements Connection<Node> {
  readonly nodes: Node[];
  readonly pageInfo: PageInfo;
  readonly #page: Page;

  constructor(nodes: Node[], hasMore: boolean, page: Page, next: string | null = null) {
    this.nodes = nodes;
    this.pageInfo = new Position(nodes, hasMore, page, next);
    this.#page = page;
  }

  get edges() {
    return this.nodes.map((node) => ({ cursor: this.#page.seal(node.id), node }));
  }
}

class Position implements PageInfo {
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
  readonly #nodes: readonly { id: string }[];
  readonly #page: Page;
  readonly #next: string | null;

  constructor(nodes: readonly { id: string }[], hasMore: boolean, page: Page, next: string | null) {
    this.hasNextPage = hasMore;
    this.hasPreviousPage = page.before !== null;
    this.#nodes = nodes;
    this.#page = page;
    this.#next = next;
  }

  get startCursor() {
    return this.#cursorOf(this.#nodes[0]);
  }

  get endCursor() {
    return this.#next === null ? this.#cursorOf(this.#nodes.at(-1)) : this.#page.seal(this.#next);
  }

  get nextCursor() {
    return this.hasNextPage ? this.endCursor : null;
  }

  #cursorOf(node: { id: string } | undefined): string | null {
    return node ? this.#page.seal(node.id) : null;
  }
}
