// What is looked at in a GraphQL document before it is validated: GraphQL's own rules compare each field of a name with
// each other one, so that a few kilobytes could keep the process from everybody else's calls.

import { GraphQLError, Kind, visit, type DocumentNode, type FieldNode, type SelectionSetNode } from 'graphql';
import { fragmentsOf, keyOf, selectionsOf, type Fragments } from './selections.ts';

export const DOCUMENT_LIMITS = {
  /** Characters of a name, an alias above all: the answer repeats it for each item. */
  nameLength: 100,
  /** Fields of one name in the answer that stand in one selection, fragments and fields that are merged included. */
  sameName: 50,
  /** Selections looked at, fragments wherever they are used. Whatever has more fields costs too much in any case. */
  selections: 20_000,
} as const;

/** Tokens that one call may have read; a document of more counts as several calls. */
export const TOKENS_OF_A_CALL = 500;

/** How many calls a document counts as at least, because it must be validated. */
export function callsToRead({ tokenCount = 0 }: DocumentNode): number {
  return Math.max(1, Math.ceil(tokenCount / TOKENS_OF_A_CALL));
}

/** Why a document is not even validated; null where it may be. */
export function refusalOfDocument(document: DocumentNode): GraphQLError | null {
  return refusalOfNames(document) ?? refusalOfRepeats(document);
}

function refusalOfNames(document: DocumentNode): GraphQLError | null {
  let found: GraphQLError | null = null;
  visit(document, {
    Name(node) {
      if (node.value.length > DOCUMENT_LIMITS.nameLength)
        found ??= new GraphQLError(`A name is longer than ${DOCUMENT_LIMITS.nameLength} characters`, { nodes: [node] });
      return false;
    },
  });
  return found;
}

/** Fields of one name in the answer, and what is selected of them. */
interface Merged {
  count: number;
  readonly first: FieldNode;
  readonly inner: SelectionSetNode[];
}

function refusalOfRepeats(document: DocumentNode): GraphQLError | null {
  const look = createLook(fragmentsOf(document));
  for (const definition of document.definitions) {
    if (!('selectionSet' in definition)) continue;
    const refusal = look([definition.selectionSet]);
    if (refusal) return refusal;
  }
  return null;
}

/** Makes the look at selections that are answered as one, and at what is within them. */
function createLook(fragments: Fragments) {
  let left: number = DOCUMENT_LIMITS.selections;

  function collect(sets: readonly SelectionSetNode[]): ReadonlyMap<string, Merged> {
    const merged = new Map<string, Merged>();
    for (const node of selectionsOf(sets, fragments)) {
      left -= 1;
      if (left < 0) break;
      if (node.kind === Kind.FIELD) add(merged, node);
    }
    return merged;
  }

  return (top: readonly SelectionSetNode[]): GraphQLError | null => {
    const waiting = [top];
    for (let sets = waiting.pop(); sets; sets = waiting.pop()) {
      for (const [key, { count, first, inner }] of collect(sets)) {
        if (count > DOCUMENT_LIMITS.sameName)
          return new GraphQLError(`"${key}" is selected more than ${DOCUMENT_LIMITS.sameName} times in one place`, {
            nodes: [first],
          });
        if (inner.length > 0) waiting.push(inner);
      }
      if (left < 0) return new GraphQLError('The document selects too much: use fewer fields or fragments');
    }
    return null;
  };
}

function add(merged: Map<string, Merged>, node: FieldNode): void {
  const key = keyOf(node);
  const same = merged.get(key) ?? { count: 0, first: node, inner: [] };
  same.count += 1;
  if (node.selectionSet) same.inner.push(node.selectionSet);
  merged.set(key, same);
}
