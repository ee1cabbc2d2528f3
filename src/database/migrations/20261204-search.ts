// Indexes for the search: what orders, invoices and payouts are known by. And for what waits for its merchant.

import { Migration } from '@mikro-orm/migrations';

/** Text of a merchant's own as one expression: no index of all their rows seems as good, nor this for others. */
const textOf = (text: string) => `((merchant_id || ' ' || ${text}) collate "C")`;

const INDEXES: readonly (readonly [name: string, on: string])[] = [
  // It takes the place of that of references in their own case: a new order costs one entry, as before.
  ['payment_search', `payment (${textOf('lower(merchant_order_id)')}, id) where merchant_order_id is not null`],
  ['payment_product', `payment (${textOf('lower(left(product_name, 64))')}, id) where product_name is not null`],
  ['invoice_search', `invoice (${textOf('lower(merchant_invoice_id)')}, id) where merchant_invoice_id is not null`],
  ['payout_recipient', `payout (${textOf('address')}, id)`],
  // What waits for its merchant (attention.ts), word for word as the statements have it.
  [
    'payment_attention',
    `payment (merchant_id, id) where invoice_id is null and (exception = 'REORGED'
       or (exception = 'OVERPAID' and amount_received - amount_refunded > amount)
       or (status in ('FAILED', 'EXPIRED', 'CANCELED') and amount_received > amount_refunded))`,
  ],
  [
    'invoice_attention',
    `invoice (merchant_id, id) where exception = 'REORGED' or (exception = 'OVERPAID' and value_refunded = 0)
       or (status in ('FAILED', 'EXPIRED', 'CANCELED') and value_received > value_refunded)`,
  ],
];

/** Programs of before find the payments of a reference among all of the merchant's, as long as they run beside. */
const REPLACED = 'payment_reference';

/** Made beside those who write, which no transaction may do. One whose making was cut short is made anew. */
export class SearchMigration extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    for (const [name, on] of INDEXES) {
      this.addSql(`drop index concurrently if exists ${name}`);
      this.addSql(`create index concurrently ${name} on ${on}`);
    }
    this.addSql(`drop index concurrently if exists ${REPLACED}`);
  }
}
