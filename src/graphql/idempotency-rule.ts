// What an Idempotency-Key asks of a document: one mutation field (contract, section 2).

import {
  Kind,
  OperationTypeNode,
  type DocumentNode,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { GatewayError } from '../values/errors.ts';
import { fragmentsOf, selectionsOf, type Fragments } from './selections.ts';

/**
 * The refusal (2001) of an operation that came with a key and does more than one thing: one answer is kept for a key,
 * and the second field would be answered by the first one's. Every mutation of the document counts, not only the one
 * asked for by name: under the same key its neighbour would be taken for a repeat. For validated documents: fragments
 * exist and are no circles.
 */
export function refusalOfKey(
  document: DocumentNode,
  operation: OperationDefinitionNode | null | undefined,
): GatewayError | null {
  if (operation?.operation !== OperationTypeNode.MUTATION) return null;
  const operations = document.definitions.filter((definition) => definition.kind === Kind.OPERATION_DEFINITION);
  const mutations = operations.filter((one) => one.operation === OperationTypeNode.MUTATION);
  const fragments = fragmentsOf(document);
  const count = mutations.reduce((sum, { selectionSet }) => sum + countFields(selectionSet, fragments), 0);
  if (count <= 1) return null;
  return new GatewayError('VALIDATION', { message: 'An Idempotency-Key goes with one mutation field' });
}

/** Fields at the top, those in fragments too, each fragment once as it is run; `__typename` does nothing. */
function countFields(top: SelectionSetNode, fragments: Fragments): number {
  let count = 0;
  for (const node of selectionsOf([top], fragments))
    if (node.kind === Kind.FIELD && !node.name.value.startsWith('__')) count += 1;
  return count;
}
