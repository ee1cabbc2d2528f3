// The interface of a borrowed gateway, as its borrower sees it.

export interface BorrowedGateway {
  /** Without a trailing slash. */
  readonly url: string;
  /** Runs a statement in the gateway's database. */
  sql<Row = Record<string, unknown>>(text: string, parameters?: readonly unknown[]): Promise<Row[]>;
  /** Gives it back. */
  stop(): Promise<void>;
}
