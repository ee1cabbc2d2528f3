// How large a GraphQL document may be, over HTTP and over sockets, fragments counted wherever they are used.

import { GraphQLError, Kind, type FragmentDefinitionNode, type SelectionSetNode, type ValidationRule } from 'graphql';

/** Contract, section 8. `tokens` is for the parser (`maxTokens`), the rest for `QUERY_LIMIT_RULES`. */
export const QUERY_LIMITS = { tokens: 2_000, depth: 20, aliases: 100 } as const;

interface Size {
  readonly depth: number;
  readonly aliases: number;
}

const EMPTY: Size = { depth: 0, aliases: 0 };

/** Refuses operations that are too deep or have too many aliases. */
const limitSize: ValidationRule = (context) => {
  const known = new Map<string, Size>();

  function sizeOfFragment(fragment: FragmentDefinitionNode): Size {
    const name = fragment.name.value;
    const size = known.get(name);
    if (size) return size;
    // A fragment that spreads itself counts nothing here; a rule of GraphQL's own refuses it.
    known.set(name, EMPTY);
    const measured = sizeOf(fragment.selectionSet);
    known.set(name, measured);
    return measured;
  }

  function sizeOf(selectionSet: SelectionSetNode): Size {
    let depth = 0;
    let aliases = 0;
    for (const selection of selectionSet.selections) {
      let inner = EMPTY;
      if (selection.kind === Kind.FRAGMENT_SPREAD) {
        const fragment = context.getFragment(selection.name.value);
        if (fragment) inner = sizeOfFragment(fragment);
      } else if (selection.selectionSet) inner = sizeOf(selection.selectionSet);
      const isField = selection.kind === Kind.FIELD;
      depth = Math.max(depth, inner.depth + (isField ? 1 : 0));
      aliases += inner.aliases + (isField && selection.alias ? 1 : 0);
    }
    return { depth, aliases };
  }

  return {
    OperationDefinition(operation) {
      const { depth, aliases } = sizeOf(operation.selectionSet);
      const refuse = (message: string) => context.reportError(new GraphQLError(message, { nodes: [operation] }));
      if (depth > QUERY_LIMITS.depth) refuse(`The operation is deeper than ${QUERY_LIMITS.depth} levels`);
      if (aliases > QUERY_LIMITS.aliases) refuse(`The operation has more than ${QUERY_LIMITS.aliases} aliases`);
    },
  };
};

/** The rules to add to GraphQL's own. */
export const QUERY_LIMIT_RULES: readonly ValidationRule[] = [limitSize];
