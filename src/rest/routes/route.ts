// One row of the table of REST routes: a path and the GraphQL document behind it.

import type { ErrorName } from '../../values/errors.ts';

/** One row. `path` is below /api/v1, parameters as `:name`. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly status: 200 | 201;
  readonly document: string;
  /** A sentence for the envelope's `message`. */
  readonly message?: string;
  /** An `sk_…` secret is accepted as the bearer (contract, section 3). */
  readonly acceptSecret?: true;
  /** Does not exist in live. */
  readonly sandboxOnly?: true;
  /** The body may be as large as a GraphQL call's. */
  readonly large?: true;
  /** Honours an `Idempotency-Key`. */
  readonly idempotent?: true;
  /** Errors specific to this row, for the documents; errors common to all calls of its kind are not repeated. */
  readonly errors?: readonly ErrorName[];
  /** An example body for the documents; `{orderId}` and the like in its texts stand for the merchant's own ids. */
  readonly example?: Readonly<Record<string, unknown>>;
  /**
   * Reports that are read in parts. With `format=csv`, `field` (a list, and the last field of the data) is answered as
   * CSV with these columns. `span` is a document with the same variables that returns the report's time range. The
   * row's document runs once for each part of it, in turn, with the part as `startDate` and `endDate`; `groupBy`
   * decides how long a part is. A JSON report of several parts is read the same way: the document `head` returns
   * everything but that field.
   */
  readonly inParts?: Record<'field' | 'span' | 'head', string> & { readonly columns: readonly string[] };
  /** Where this parameter is true, these run in place of the row's own; the variables are the same. */
  readonly alternative?: {
    readonly when: string;
    /** The fields that they append to the row's own. */
    readonly appends: readonly string[];
  } & Pick<Route, 'document'> &
    Required<Pick<Route, 'inParts'>>;
  /**
   * A list that `format=csv` answers whole, with these columns: the row's document, or `csvDocument` with the same
   * variables, runs for each page in turn, whatever `limit` and `cursor` say.
   */
  readonly asCsv?: readonly string[];
  readonly csvDocument?: string;
}
