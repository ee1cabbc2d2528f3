// Who acts on behalf of a merchant, as the audit log records it.

/** The merchant, the API key in use (null: a person signed in, or the operator) and the request it came with. */
export interface Actor {
  readonly merchantId: string;
  readonly keyId: string | null;
  /** The person who signed in; none for a key or the operator. */
  readonly personId?: string | null;
  readonly ip: string;
  readonly requestId: string;
  /** The operator of the gateway acts for the merchant. */
  readonly isOperator?: true;
}

/** Somebody who acts for themselves, at a merchant. */
export interface PersonActor extends Actor {
  readonly personId: string;
}

/** Somebody who acts for themselves, at a merchant or (null) as an operator. */
export interface SelfActor extends Omit<PersonActor, 'merchantId'> {
  readonly merchantId: string | null;
}
