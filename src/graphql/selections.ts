// What selection sets come to, as graphql-js collects them.

import {
  Kind,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';

export type Fragments = ReadonlyMap<string, FragmentDefinitionNode>;

/** The fragments of a document by their names. */
export function fragmentsOf({ definitions }: DocumentNode): Fragments {
  const fragments = definitions.filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION);
  return new Map(fragments.map((fragment) => [fragment.name.value, fragment]));
}

/**
 * The selections of sets that are answered as one, those within fragments included, each fragment once, however often
 * it is used. What is not run is left out with all that is in it. Ends for a fragment that uses itself, too, which only
 * a rule of GraphQL's refuses.
 */
export function* selectionsOf(
  sets: readonly SelectionSetNode[],
  fragments: Fragments,
  isRun: (node: SelectionNode) => boolean = () => true,
): Generator<SelectionNode, void> {
  const visited = new Set<string>();
  const waiting = [...sets];
  for (let set = waiting.pop(); set; set = waiting.pop())
    for (const node of set.selections) {
      if (!isRun(node)) continue;
      yield node;
      if (node.kind === Kind.INLINE_FRAGMENT) waiting.push(node.selectionSet);
      if (node.kind !== Kind.FRAGMENT_SPREAD || visited.has(node.name.value)) continue;
      visited.add(node.name.value);
      const fragment = fragments.get(node.name.value);
      if (fragment) waiting.push(fragment.selectionSet);
    }
}

/** The name of a field in the answer. */
export const keyOf = ({ alias, name }: FieldNode): string => (alias ?? name).value;
