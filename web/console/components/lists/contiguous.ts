// The pages of a list after its first page was read anew, without a gap between them.

/** A page of a list, as the gateway answers it. */
export interface Connection<Node> {
  readonly nodes: readonly Node[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor?: string | null };
}

/**
 * What follows the first page as it is `now`, where `further` followed it as it was `before`. New rows push older ones
 * out of the first page: those come first. Where a whole page is new, what lies between is not known, and nothing
 * follows until it is loaded again.
 */
export function contiguous<Node>(
  before: Connection<Node>,
  now: Connection<Node>,
  further: readonly Connection<Node>[],
  keyOf: (node: Node) => string,
): readonly Connection<Node>[] {
  const last = now.nodes.at(-1);
  if (!now.pageInfo.hasNextPage) return [];
  if (last === undefined) return further;
  const is = (node: Node) => keyOf(node) === keyOf(last);
  const place = before.nodes.findIndex(is);
  const pushedOut = place < 0 ? [] : before.nodes.slice(place + 1);
  if (pushedOut.length > 0) return [{ nodes: pushedOut, pageInfo: before.pageInfo }, ...further];
  return place >= 0 || further.some(({ nodes }) => nodes.some(is)) ? further : [];
}
