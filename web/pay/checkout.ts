// The data of the payment page, by the operation in web/pay/operations: only what the customer may see.

import { Kind, type DocumentNode, type FieldNode } from 'graphql';
import {
  AskCheckoutDocument,
  CheckoutDocument,
  WatchCheckoutDocument,
  type AskCheckoutQuery,
  type CheckoutQuery,
} from './generated/operations.ts';

/** Amounts are canonical decimal strings in `currency`, times ISO 8601 UTC. The merchant's texts are untrusted. */
export type Checkout = Readonly<NonNullable<CheckoutQuery['checkout']>>;

/** What is needed to pay: how much of what, where to, and whether it is real money. */
export type Payable = Pick<
  Checkout,
  | ('id' | 'amountDue' | 'currency' | 'paymentUri' | 'address' | 'tokenContract')
  | ('network' | 'networkName' | 'isMainNetwork')
>;

type WatchedField = keyof NonNullable<AskCheckoutQuery['checkout']>;

/** The fields whose changes the page must show, in the order in which its script requests them. */
export const WATCHED_FIELDS = fieldsOf(AskCheckoutDocument) as readonly WatchedField[];

/** How the page loads a whole payment, and how its script polls and subscribes to changes. */
export const OPERATIONS = { read: CheckoutDocument, ask: AskCheckoutDocument, watch: WatchCheckoutDocument } as const;

/**
 * What a document asks for of an object, as one string: pages with the same string show the same. The script computes
 * it the same way.
 */
export function stateOf(document: DocumentNode, shown: object): string {
  return told(fieldNodesOf(document), shown);
}

function told(fields: readonly FieldNode[], value: unknown): string {
  if (Array.isArray(value)) return value.map((each) => told(fields, each)).join('|');
  if (value === null || typeof value !== 'object')
    return String((value as string | number | boolean | null | undefined) ?? '');
  const values = value as Readonly<Record<string, unknown>>;
  return fields.map((field) => told(selectedBy(field), values[field.name.value])).join('|');
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
  return fieldNodesOf(document).map((field) => field.name.value);
}

function fieldNodesOf(document: DocumentNode): readonly FieldNode[] {
  const [operation] = document.definitions;
  const [root] = operation?.kind === Kind.OPERATION_DEFINITION ? operation.selectionSet.selections : [];
  return root?.kind === Kind.FIELD ? selectedBy(root) : [];
}

function selectedBy({ selectionSet }: FieldNode): readonly FieldNode[] {
  return (selectionSet?.selections ?? []).flatMap((selection) => (selection.kind === Kind.FIELD ? [selection] : []));
}
