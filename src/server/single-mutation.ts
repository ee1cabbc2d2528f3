// What an Idempotency-Key asks of a document: one mutation field (contract, section 2).

import {
  Kind,
  OperationTypeNode,
  type DocumentNode,
  type FragmentSpreadNode,
  type InlineFragmentNode,
  type OperationDefinitionNode,
  type SelectionNode,
} from 'graphql';
import { GatewayError } from '../values/errors.ts';

/**
 * The refusal (2001) of an operation that came with a key and does more than one thing: one answer is kept for a key, and
 * the second field would be answered by the first one's. Every mutation of the document counts, not only the one asked
 * for by name: under the same key its neighbour would be taken for a repeat. For validated documents: fragments exist and
 * are no circles.
 */
export function refusalOfKey(
  document: DocumentNode,
  operation: OperationDefinitionNode | null | undefined,
): GatewayError | null {
  if (operation?.operation !== OperationTypeNode.MUTATION) return null;
  const operations = document.definitions.filter((definition) => definition.kind === Kind.OPERATION_DEFINITION);
  const mutations = operations.filter((one) => one.operation === OperationTypeNode.MUTATION);
  const selected = mutations.flatMap(({ selectionSet }) => selectionSet.selections);
  if (countFields(document, selected) <= 1) return null;
  return new GatewayError('VALIDATION', { message: 'An Idempotency-Key goes with one mutation field' });
}

/** Fields at the top, those in fragments too; `__typename` does nothing. */
function countFields(document: DocumentNode, selections: readonly SelectionNode[]): number {
  let count = 0;
  for (const node of selections) {
    if (node.kind === Kind.FIELD) count += node.name.value.startsWith('__') ? 0 : 1;
    else count += countFields(document, selectionsOf(document, node));
  }
  return count;
}

function selectionsOf(document: DocumentNode, node: FragmentSpreadNode | InlineFragmentNode): readonly SelectionNode[] {
  if (node.kind === Kind.INLINE_FRAGMENT) return node.selectionSet.selections;
  const fragments = document.definitions.filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION);
  return fragments.find(({ name }) => name.value === node.name.value)?.selectionSet.selections ?? [];
}
