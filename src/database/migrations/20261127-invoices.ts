// Invoices: a price in a shop's currency, the quotes of assets for it, and what payments, deposits, refunds and events
// keep of theirs (contract-invoices, section 7).

import { Migration } from '@mikro-orm/migrations';

/**
 * amount: in minor units of the currency. value_…: in 10⁻³⁰ of it, exact. deadline: the later of expires_at and the
 * ends of its quotes. late_from, lost_from: as a payment's. input_digest: of the input under merchant_invoice_id.
 * link_id: the payment link that it was made from.
 */
const INVOICE = `create table invoice (
  id text collate "C" primary key,
  merchant_id text collate "C" not null references merchant (id),
  link_id text collate "C",
  amount numeric(78, 0) not null check (amount > 0),
  currency text not null,
  status text not null,
  exception text,
  version int not null,
  test boolean,
  description text,
  merchant_invoice_id text,
  customer_email text,
  customer json,
  return_url text,
  callback_url text,
  metadata json,
  accepted_assets json,
  tolerance_basis_points int not null,
  late_payment_policy text not null,
  spread int not null,
  quote_minutes int not null,
  value_received numeric(78, 0) not null default 0 check (value_received >= 0),
  value_confirmed numeric(78, 0) not null default 0 check (value_confirmed >= 0),
  value_refunded numeric(78, 0) not null default 0 check (value_refunded >= 0),
  value_set_aside numeric(78, 0) not null default 0 check (value_set_aside >= 0),
  expires_at timestamptz not null,
  deadline timestamptz not null check (deadline >= expires_at),
  processing_since timestamptz,
  late_from_status text,
  late_from_exception text,
  lost_from_status text,
  lost_from_exception text,
  lost_at timestamptz,
  accepted_at timestamptz,
  settled_at timestamptz,
  input_digest text collate "C",
  created_at timestamptz not null,
  updated_at timestamptz not null
)`;

/** One for each payment of an invoice, made in the same transaction. sources: the figures that the rate is from. */
const QUOTE = `create table quote (
  payment_id text collate "C" primary key references payment (id),
  invoice_id text collate "C" not null references invoice (id),
  currency text not null,
  due numeric(78, 0) not null check (due > 0),
  rate numeric(36, 12) not null check (rate > 0),
  market_rate numeric(36, 12),
  spread int not null,
  sources json not null,
  quoted_at timestamptz not null,
  ends_at timestamptz not null,
  without_token boolean not null
)`;

const INDEXES = [
  'create unique index invoice_reference on invoice (merchant_id, merchant_invoice_id) where merchant_invoice_id is not null',
  'create index invoice_merchant on invoice (merchant_id, id)',
  // Every combination of the two is read as the end of one range each, as payments are.
  'create index invoice_kind on invoice (merchant_id, status, currency, id)',
  'create index invoice_link on invoice (link_id, status) where link_id is not null',
  'create index invoice_link_page on invoice (merchant_id, link_id, id) where link_id is not null',
  `create index invoice_open on invoice (deadline, id) where status in ('OPEN', 'PARTIALLY_PAID', 'PROCESSING')`,
  'create index quote_invoice on quote (invoice_id, payment_id)',
  // Unpaid payments of invoices by merchant: those of payers without a token are bounded.
  `create index payment_unpaid_choice on payment (merchant_id, id) where invoice_id is not null and status = 'PENDING'`,
  // As event_to_number_version, by the subject of an event: only statements that write the same expression use it.
  `create index event_to_number_subject on event (coalesce(payment_id, invoice_id, id), version)
    where coalesce(position, 0) = 0`,
  'drop index event_to_number_version',
  'create index event_invoice on event (invoice_id, id) where body is not null and invoice_id is not null',
];

export class InvoicesMigration extends Migration {
  override up(): void {
    this.addSql(INVOICE);
    this.addSql(QUOTE);
    // The invoice that a payment belongs to.
    this.addSql('alter table payment add column invoice_id text collate "C"');
    // The rate at which a deposit counts for its invoice.
    this.addSql('alter table deposit add column value_rate numeric(36, 12)');
    // A refund asked for before the invoice was first settled.
    this.addSql('alter table payout add column before_settlement boolean not null default false');
    this.addSql('alter table event add column invoice_id text collate "C"');
    this.addSql('alter table merchant add column invoice_expiration_minutes int not null default 60');
    this.addSql('alter table merchant add column quote_minutes int not null default 15');
    this.addSql('alter table merchant add column accepted_assets json');
    for (const index of INDEXES) this.addSql(index);
  }
}
