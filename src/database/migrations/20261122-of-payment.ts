// What a payment's webhooks and refunds are listed by.

import { Migration } from '@mikro-orm/migrations';

// Only events that become webhooks: a payment has one or two of them, and many that tell of each change. Its refunds in
// the order of their list, in place of the index that had no order.
const OF_PAYMENT = `
create index event_payment on event (payment_id, id) where body is not null and payment_id is not null;
create index payout_refund on payout (payment_id, id) where payment_id is not null;
drop index payout_payment;
`;

export class OfPaymentMigration extends Migration {
  override up(): void {
    this.addSql(OF_PAYMENT);
  }
}
