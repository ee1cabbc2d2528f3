// What lists that are narrowed are read by.

import { Migration } from '@mikro-orm/migrations';

// One index for states, currencies and networks in every combination: a page merges the ends of as many of its ranges as
// there are kinds wanted, so that a kind which is rare, or which there is none of, costs no search.
const KINDS = `
create index payment_kind on payment (merchant_id, status, currency, network, id);
`;

export class ListsMigration extends Migration {
  override up(): void {
    this.addSql(KINDS);
  }
}
