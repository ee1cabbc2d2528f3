// Reads what the page of an invoice shows beside the invoice itself: its merchant's look and coins, and what does not
// change about its payments.

import type { AcceptedAsset } from '../../../entities/invoice.ts';
import { query, toDate, type EntityManager } from '../../connection.ts';

export interface InvoicePageRow {
  readonly merchantId: string;
  readonly isSuspended: boolean;
  /** Basis points that the invoice's quotes are below the market. */
  readonly spread: number;
  readonly companyName: string;
  readonly logoUrl: string | null;
  readonly accentColor: string | null;
  readonly locale: string | null;
  readonly supportEmail: string | null;
  /** What the merchant's invoices take unless they say otherwise; null for all. */
  readonly merchantAssets: readonly AcceptedAsset[] | null;
}

const PAGE = `
select i.merchant_id as "merchantId", i.spread, m.company_name as "companyName", m.logo_url as "logoUrl",
  m.accent_color as "accentColor", m.locale, m.support_email as "supportEmail", m.accepted_assets as "merchantAssets",
  m.suspended_at is not null as "isSuspended"
from invoice i join merchant m on m.id = i.merchant_id where i.id = $1`;

/** The merchant's side of an invoice's page; null if there is no such invoice. */
export async function readInvoicePage(em: EntityManager, invoiceId: string): Promise<InvoicePageRow | null> {
  return (await query<InvoicePageRow>(em, PAGE, [invoiceId]))[0] ?? null;
}

const INVOICE_OF = 'select invoice_id as "invoiceId" from payment where id = $1';

/** Makes the function that reads which invoice a payment belongs to: null for any other payment. */
export const readInvoiceOf = (em: EntityManager) => async (paymentId: string) => {
  const [row] = await query<{ invoiceId: string | null }>(em, INVOICE_OF, [paymentId]);
  return row?.invoiceId ?? null;
};

/** What an invoice's snapshot does not say of its payments, though their customer sees it. */
export interface PagePaymentRow {
  readonly id: string;
  readonly expiresAt: Date;
  readonly createdAt: Date;
  readonly completedAt: Date | null;
  readonly requiredConfirmations: number;
  readonly toleranceBasisPoints: number;
}

// Each is looked up by its key: a plan that does not know how few there are would read the table.
const PAYMENTS = `
select p.* from unnest($1::text[]) as wanted(id) cross join lateral (
  select id, expires_at as "expiresAt", created_at as "createdAt", completed_at as "completedAt",
    required_confirmations as "requiredConfirmations", tolerance_basis_points as "toleranceBasisPoints"
  from payment where payment.id = wanted.id offset 0
) p`;

type Times = 'expiresAt' | 'createdAt' | 'completedAt';

/** These payments, in no particular order. */
export async function readPagePayments(em: EntityManager, ids: readonly string[]): Promise<PagePaymentRow[]> {
  if (ids.length === 0) return [];
  type Row = Omit<PagePaymentRow, Times> &
    Record<Exclude<Times, 'completedAt'>, string> & { completedAt: string | null };
  const rows = await query<Row>(em, PAYMENTS, [ids]);
  return rows.map(({ expiresAt, createdAt, completedAt, ...row }) => ({
    ...row,
    expiresAt: toDate(expiresAt),
    createdAt: toDate(createdAt),
    completedAt: toDate(completedAt),
  }));
}
