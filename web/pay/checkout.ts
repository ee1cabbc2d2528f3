// The data of the payment page, by the operation in web/pay/operations: only what the customer may see.

import { Kind, type DocumentNode } from 'graphql';
import {
  AskCheckoutDocument,
  CheckoutDocument,
  WatchCheckoutDocument,
  type AskCheckoutQuery,
  type CheckoutQuery,
} from './generated/operations.ts';

/** Amounts are canonical decimal strings in `currency`, times ISO 8601 UTC. The merchant's texts are untrusted. */
export type Checkout = Readonly<NonNullable<CheckoutQuery['checkout']>>;

type WatchedField = keyof NonNullable<AskCheckoutQuery['checkout']>;

/** The fields whose changes the page must show, in the order in which its script requests them. */
export const WATCHED_FIELDS = fieldsOf(AskCheckoutDocument) as readonly WatchedField[];

/** How the page loads a whole payment, and how its script polls and subscribes to changes. */
export const OPERATIONS = { read: CheckoutDocument, ask: AskCheckoutDocument, watch: WatchCheckoutDocument } as const;

/** The watched fields as one string: pages with the same string show the same. The script computes it the same way. */
export function stateOf(checkout: Checkout): string {
  return WATCHED_FIELDS.map((field) => String(checkout[field] ?? '')).join('|');
}

/**
 * Whether the customer has nothing more to wait for. EXPIRED, FAILED and CANCELED are not settled: late money may still
 * arrive.
 */
export function isSettled(status: Checkout['status']): boolean {
  return status === 'SUCCEEDED' || status === 'PARTIALLY_REFUNDED' || status === 'REFUNDED';
}

/** The names of the fields selected on the single root field of a document's single operation. */
export function fieldsOf(document: DocumentNode): readonly string[] {
  const [operation] = document.definitions;
  const [root] = operation?.kind === Kind.OPERATION_DEFINITION ? operation.selectionSet.selections : [];
  const selected = root?.kind === Kind.FIELD ? root.selectionSet?.selections : [];
  return (selected ?? []).flatMap((selection) => (selection.kind === Kind.FIELD ? [selection.name.value] : []));
}
