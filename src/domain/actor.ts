// Who acts on behalf of a merchant, as the audit log records it.

/** The merchant, the API key in use (null: the owner signed in, or the operator) and the request it came with. */
export interface Actor {
  readonly merchantId: string;
  readonly keyId: string | null;
  readonly ip: string;
  readonly requestId: string;
  /** The operator of the gateway acts for the merchant. */
  readonly isOperator?: true;
}
