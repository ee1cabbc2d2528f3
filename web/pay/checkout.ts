// What the payment page shows of a payment, as the GraphQL type Checkout has it: nothing that is not the customer's business.

/** The states of a payment (contract, section 5). */
export type CheckoutStatus =
  | 'PENDING'
  | 'PARTIALLY_PAID'
  | 'CONFIRMING'
  | 'SUCCEEDED'
  | 'FAILED'
  | 'EXPIRED'
  | 'CANCELED'
  | 'PARTIALLY_REFUNDED'
  | 'REFUNDED';

/** What was out of the ordinary, beside the state; null in the ordinary case. */
export type CheckoutException = 'UNDERPAID' | 'OVERPAID' | 'PAID_LATE' | 'UNCONFIRMED' | 'REORGED';

/** Amounts are canonical decimal strings in `currency`, times ISO 8601 UTC. Text of the merchant's is untrusted. */
export interface Checkout {
  readonly id: string;
  readonly status: CheckoutStatus;
  readonly exception: CheckoutException | null;
  readonly amount: string;
  readonly currency: string;
  readonly network: string;
  readonly networkName: string;
  readonly address: string;
  /** BIP-21, EIP-681 or Solana Pay, for what is still due. */
  readonly paymentUri: string;
  readonly amountReceived: string;
  readonly amountDue: string;
  readonly confirmations: number;
  readonly requiredConfirmations: number;
  readonly expiresAt: string;
  readonly createdAt: string;
  readonly companyName: string;
  readonly productName: string | null;
  readonly merchantOrderId: string | null;
  readonly returnUrl: string | null;
  readonly test: boolean;
}

// Keyed by the interface, so that the compiler misses no field and knows no other.
const FIELDS: Readonly<Record<keyof Checkout, true>> = {
  id: true,
  status: true,
  exception: true,
  amount: true,
  currency: true,
  network: true,
  networkName: true,
  address: true,
  paymentUri: true,
  amountReceived: true,
  amountDue: true,
  confirmations: true,
  requiredConfirmations: true,
  expiresAt: true,
  createdAt: true,
  companyName: true,
  productName: true,
  merchantOrderId: true,
  returnUrl: true,
  test: true,
};

/** The selection set, without braces, that reads a whole Checkout. */
export const CHECKOUT_FIELDS = Object.keys(FIELDS).join(' ');

/** The fields whose change the page must show; its script asks for these only, and compares them with `stateOf`. */
export const WATCHED_FIELDS = [
  'status',
  'exception',
  'amountReceived',
  'amountDue',
  'confirmations',
  'requiredConfirmations',
  'expiresAt',
] as const satisfies readonly (keyof Checkout)[];

/** The watched fields as one text: two pages with the same text show the same. The script computes it likewise. */
export function stateOf(checkout: Checkout): string {
  return WATCHED_FIELDS.map((field) => String(checkout[field] ?? '')).join('|');
}

/** Whether the customer has nothing more to wait for. EXPIRED, FAILED and CANCELED are not: late money may still arrive. */
export function isSettled(status: CheckoutStatus): boolean {
  return status === 'SUCCEEDED' || status === 'PARTIALLY_REFUNDED' || status === 'REFUNDED';
}
