// Money that reaches an order's address on another network than the order's: networks of one account share addresses.

import { Migration } from '@mikro-orm/migrations';

// An address belongs to an account rather than to a network, and each is issued once. The confirmations of a deposit on
// another network than the payment's are that network's; null where they are the payment's.
const RELATED = `
create unique index payment_account_address on payment (derivation_account, address_key);
drop index payment_address;
alter table deposit add column required_confirmations int;
`;

export class RelatedNetworksMigration extends Migration {
  override up(): void {
    this.addSql(RELATED);
  }
}
