// The types of the gateway's answers, as far as the stories read them.

export interface RegisteredKey {
  readonly keyId: string;
  readonly secret: string;
}

/** The merchant whose story this is. */
export interface Shop {
  readonly token: string;
  /** The token of another merchant, whose key may only create and read payments. */
  readonly narrowToken: string;
}

/** What is worth seeing of a full payment. */
export const STATE = ['orderId', 'status', 'exception', 'amount', 'amountReceived', 'amountConfirmed', 'confirmations'];

/** A payment order over REST. The create call answers without what begins at `amountReceived`. */
export interface PaymentOrder {
  readonly orderId: string;
  readonly address: string;
  readonly amount: string;
  readonly currency: string;
  readonly network: string;
  readonly paymentUrl: string;
  readonly expiresAt: string;
  readonly createdAt: string;
  readonly status: string;
  readonly exception: string | null;
  readonly amountReceived: string;
  readonly confirmations: number;
  readonly requiredConfirmations: number;
}

/** What the live updates of a payment are asked for. */
export interface LiveUpdate {
  readonly id: string;
  readonly status: string;
  readonly amountReceived: string;
  readonly confirmations: number;
}

/** One line of GET /wallet/balance. */
export interface Balance {
  readonly currency: string;
  readonly network: string;
  readonly available: string;
  readonly pending: string;
  readonly reserved: string;
}
