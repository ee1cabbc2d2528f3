// The status of a row that a statement finds by something else.

/**
 * SQL: a row's status, in a form that no index has. Otherwise, after an hour in which most rows had the same status,
 * PostgreSQL would begin with all rows that have it instead of with the id.
 */
export const ITS_STATUS = `coalesce(status, '')`;
