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

/** The fields of a full payment that are worth printing. */
export const STATE = ['orderId', 'status', 'exception', 'amount', 'amountReceived', 'amountConfirmed', 'confirmations'];

/** A payment order over REST. The answer to the create call lacks `amountReceived` and the fields after it. */
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

/** The fields that are requested of a payment's live updates. */
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
