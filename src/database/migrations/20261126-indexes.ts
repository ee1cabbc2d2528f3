// Indexes for work that must not grow with history: numbering events, and checking the recent part of the book.

import { Migration } from '@mikro-orm/migrations';

/** Each is made beside those who write, which no transaction may do. One whose making was cut short is made anew. */
const INDEXES: readonly (readonly [name: string, definition: string])[] = [
  // Only statements that write the same expression use them, and PostgreSQL keeps no statistics of it: so no
  // statistics, however old, make another plan look better (number-events.ts).
  ['event_to_number', 'event (id) where coalesce(position, 0) = 0'],
  ['event_to_number_version', 'event (payment_id, version) where coalesce(position, 0) = 0'],
  // What came to one address, and what left it.
  ['transfer_recipient', `transfer (network, recipient_key) where purpose in ('SWEEP', 'GAS')`],
  ['transfer_payer', 'transfer (network, payer_key) where payer_key is not null'],
  ['funding_suspense', `funding (network, address_key) where purpose = 'suspense'`],
];

/** Programs of before do without these: they find the same rows, a few at any time, by other indexes. */
const REPLACED = ['event_unnumbered', 'event_unnumbered_version'];

export class IndexesMigration extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    for (const [name, definition] of INDEXES) {
      this.addSql(`drop index concurrently if exists ${name}`);
      this.addSql(`create index concurrently ${name} on ${definition}`);
    }
    for (const name of REPLACED) this.addSql(`drop index concurrently if exists ${name}`);
  }
}
