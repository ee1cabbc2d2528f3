// Reads for how long what is kept is kept.

import type { Reader } from './reader.ts';

export interface RetentionConfig {
  /** Days that API-log rows are kept. */
  readonly apiLogDays: number;
  /** Days that events and their webhook records are kept; null: for good. */
  readonly eventRetentionDays: number | null;
  /** Days after which what names customers is removed, whatever merchants say; null: as they say. */
  readonly customerDataDays: number | null;
}

/**
 * `API_LOG_DAYS`; `EVENT_RETENTION_DAYS`: at least a week, because webhooks are retried for three days; and
 * `CUSTOMER_DATA_DAYS`: at least thirty, because invoices take money for so long. The last two are for good if not set.
 */
export function readRetention(read: Reader): RetentionConfig {
  const days = (name: string, least: number, most: number) =>
    read.optional(name) === null ? null : read.integer(name, least, least, most);
  return {
    apiLogDays: read.integer('API_LOG_DAYS', 90, 1, 3_650),
    eventRetentionDays: days('EVENT_RETENTION_DAYS', 7, 36_500),
    customerDataDays: days('CUSTOMER_DATA_DAYS', 30, 3_650),
  };
}
