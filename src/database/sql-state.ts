// Tells PostgreSQL's errors apart by their code, however deep a library has wrapped them.

/** Whether an error, or one of its causes, has this SQLSTATE. */
export function hasSqlState(error: unknown, state: string): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if ((cause as { code?: unknown }).code === state) return true;
  return false;
}

/** SQLSTATE of a row that has the unique key of another. */
export const UNIQUE_VIOLATION = '23505';

/** SQLSTATE of a lock that was not available in time. */
export const LOCK_NOT_AVAILABLE = '55P03';
