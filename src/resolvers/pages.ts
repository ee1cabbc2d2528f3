// Pages of lists: which one a caller asks for, and how it is shown. Cursors are sealed for one list of one merchant.

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

/** Reads the arguments of a list. `scope` names the list and whose it is. Throws 2001 for a cursor of anything else. */
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

/** A page as a connection. Edges and cursors are made only where they are asked for. */
export function toConnection<Node extends { id: string }>(
  items: readonly Node[],
  hasMore: boolean,
  { before, seal }: Page,
): Connection<Node> {
  const nodes = [...items];
  const [first] = nodes;
  const last = nodes.at(-1);
  return {
    nodes,
    get edges() {
      return nodes.map((node) => ({ cursor: seal(node.id), node }));
    },
    pageInfo: {
      get startCursor() {
        return first ? seal(first.id) : null;
      },
      get endCursor() {
        return last ? seal(last.id) : null;
      },
      hasNextPage: hasMore,
      hasPreviousPage: before !== null,
      get nextCursor() {
        return hasMore && last ? seal(last.id) : null;
      },
    },
  };
}
