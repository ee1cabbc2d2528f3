// Erasures: who was erased, as a keyed digest, and how a customer's orders and their events are found
// (contract-people-payouts, section E).

import { Migration } from '@mikro-orm/migrations';

/** digest: of the merchant and the address in lower case, by which an erasure is known again; never the address. */
const ERASURE = `create table erasure (
  id text collate "C" primary key,
  merchant_id text collate "C" not null references merchant (id),
  digest bytea not null,
  payments int not null,
  events int not null,
  mails int not null,
  created_at timestamptz not null
)`;

export class ErasuresMigration extends Migration {
  override up(): void {
    this.addSql(ERASURE);
    this.addSql('create index erasure_merchant on erasure (merchant_id, id)');
    // The body of such an event was removed: it was sent once, and never is again.
    this.addSql('alter table event add column erased boolean not null default false');
  }
}

/** One expression, so that no index of all orders of a merchant seems as good. */
const CUSTOMER = `((merchant_id || ' ' || lower(customer_email)) collate "C")`;

const INDEXES: readonly (readonly [name: string, on: string])[] = [
  ['payment_customer', `payment (${CUSTOMER}) where customer_email is not null`],
  ['invoice_customer', `invoice (${CUSTOMER}) where customer_email is not null`],
  // They take the places of those of events with a body.
  ['event_of_payment', 'event (payment_id, id) where payment_id is not null'],
  ['event_of_invoice', 'event (invoice_id, id) where invoice_id is not null'],
  ['event_of_payout', 'event (payout_id, id) where payout_id is not null'],
];

/** Made beside those who write, which no transaction may do. */
export class ErasureIndexesMigration extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    for (const [name, on] of INDEXES) {
      this.addSql(`drop index concurrently if exists ${name}`);
      this.addSql(`create index concurrently ${name} on ${on}`);
    }
    for (const name of ['event_payment', 'event_invoice']) this.addSql(`drop index concurrently if exists ${name}`);
  }
}
