// A paginated list from the gateway. Live changes update the first page; further pages are appended to it, without a
// gap.

import { useCallback, useEffect, useRef, useState } from 'react';
import { RECONNECTED } from '../../client.ts';
import { contiguous, type Connection } from '../lists/contiguous.ts';
import { useClient, useQuery, type AnyVariables, type CombinedError, type TypedDocumentNode } from 'urql';

/** How often what is told is drawn. */
const DRAWN_EVERY_MS = 100;

interface PagesOptions<Data, Variables, Node> {
  /** Takes `after` in addition to `variables`. */
  readonly query: TypedDocumentNode<Data, Variables>;
  readonly variables: Omit<Variables, 'after'>;
  readonly read: (data: Data) => Connection<Node>;
  readonly keyOf: (node: Node) => string;
}

/** A list as far as it has been loaded. */
export interface Pages<Node> {
  /** Undefined until the first page has loaded. */
  readonly nodes: readonly Node[] | undefined;
  readonly error: CombinedError | undefined;
  /** Undefined if there are no more pages. */
  readonly loadMore: (() => void) | undefined;
  readonly isLoadingMore: boolean;
  readonly refresh: () => void;
  /** Names the filter that the nodes match: for a moment after another was chosen, still those of the one before. */
  readonly of: string | undefined;
}

export function usePages<Data, Variables extends AnyVariables, Node>(
  options: PagesOptions<Data, Variables, Node>,
): Pages<Node> {
  const { query, read, keyOf } = options;
  const key = JSON.stringify(options.variables);
  const client = useClient();
  const [first, reload] = useQuery<Data, Variables>({ query, variables: options.variables as Variables });
  const [further, setFurther] = useState<readonly Connection<Node>[]>([]);
  const [more, setMore] = useState<{ isLoading: boolean; error?: CombinedError | undefined }>({ isLoading: false });
  const asked = useRef(key);
  useEffect(() => {
    // Another filter means another list.
    asked.current = key;
    setFurther([]);
    setMore({ isLoading: false });
  }, [key]);
  const refresh = useCallback(() => reload({ requestPolicy: 'network-only' }), [reload]);
  useRefreshOnReturn(refresh);
  const of = first.operation && JSON.stringify(first.operation.variables);
  const page = first.data && read(first.data);
  const [base, setBase] = useState({ of, page });
  if (page !== base.page) {
    setBase({ of, page });
    if (page && base.page && base.of === of && (further.length > 0 || more.isLoading))
      setFurther(contiguous(base.page, page, further, keyOf));
  }
  const pages = page ? [page, ...further] : [];
  const last = pages.at(-1)?.pageInfo;
  const end = useRef(last?.endCursor);
  useEffect(() => {
    end.current = last?.endCursor;
  }, [last?.endCursor]);
  const loadMore = async () => {
    setMore({ isLoading: true });
    const after = last?.endCursor;
    const variables = { ...options.variables, after } as unknown as Variables;
    const { data, error } = await client.query<Data, Variables>(query, variables, { requestPolicy: 'network-only' });
    if (asked.current !== key) return;
    // Unless the list has come to end elsewhere meanwhile.
    if (data && end.current === after) setFurther((now) => [...now, read(data)]);
    setMore({ isLoading: false, error });
  };
  return {
    nodes:
      first.data &&
      unique(
        pages.flatMap(({ nodes }) => nodes),
        keyOf,
      ),
    error: first.error ?? more.error,
    loadMore: last?.hasNextPage ? () => void loadMore() : undefined,
    isLoadingMore: more.isLoading,
    refresh,
    of,
  };
}

/** Removes duplicates: a reloaded first page may contain nodes that a later page has in an older state. */
function unique<Node>(nodes: readonly Node[], keyOf: (node: Node) => string): Node[] {
  const first = new Map<string, Node>();
  for (const node of nodes) if (!first.has(keyOf(node))) first.set(keyOf(node), node);
  return [...first.values()];
}

/** Reloads when the merchant returns to the window, and when live updates resume after a lost connection. */
export function useRefreshOnReturn(refresh: () => void): void {
  useEffect(() => {
    const look = () => {
      if (document.visibilityState === 'visible') refresh();
    };
    document.addEventListener('visibilitychange', look);
    addEventListener(RECONNECTED, refresh);
    return () => {
      document.removeEventListener('visibilitychange', look);
      removeEventListener(RECONNECTED, refresh);
    };
  }, [refresh]);
}

/**
 * Live updates of what is listed, by id, to be merged over nodes that were loaded earlier. Those of anything else are
 * not kept: a page that is open for a day would grow with every one. All are dropped when live updates resume after a
 * lost connection: everything is reloaded then, and the last updates are older than that.
 */
export function useTold<Thing>(listed: readonly string[] | undefined) {
  const [told, setTold] = useState<ReadonlyMap<string, Thing>>(new Map());
  const ids = useRef<ReadonlySet<string>>(new Set());
  useEffect(() => {
    ids.current = new Set(listed);
  }, [listed]);
  const isListed = useCallback((id: string) => ids.current.has(id), []);
  // Drawn together: fifty changes a second are not fifty drawings of the list.
  const waiting = useRef(new Map<string, Thing>());
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const draw = useCallback(() => {
    timer.current = undefined;
    const news = [...waiting.current].filter(([id]) => isListed(id));
    waiting.current.clear();
    if (news.length > 0) setTold((now) => new Map([...[...now].filter(([known]) => isListed(known)), ...news]));
  }, [isListed]);
  const tell = useCallback(
    (id: string, thing: Thing) => {
      if (!isListed(id)) return;
      waiting.current.set(id, thing);
      timer.current ??= setTimeout(draw, DRAWN_EVERY_MS);
    },
    [isListed, draw],
  );
  useEffect(() => () => clearTimeout(timer.current), []);
  const forget = useCallback(() => {
    waiting.current.clear();
    setTold(new Map());
  }, []);
  useEffect(() => {
    addEventListener(RECONNECTED, forget);
    return () => removeEventListener(RECONNECTED, forget);
  }, [forget]);
  return { told, tell, forget, isListed };
}
