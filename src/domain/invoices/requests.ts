// What callers ask of invoices: the inputs, and the shapes of the operations (contract-invoices, sections 5 and 6).

import type { EntityManager } from '../../database/connection.ts';
import type { InvoiceStatus } from '../../entities/enums.ts';
import type { AcceptedAsset } from '../../entities/invoice.ts';
import type { IdempotencyKey, IdempotentResult } from '../idempotency.ts';
import type { InvoiceSnapshot } from '../snapshots/invoice.ts';

/** An asset as a caller names it: codes or aliases in any case. */
export interface NamedAsset {
  readonly currency: string;
  readonly network: string;
}

/** What a merchant asks for. The schema has checked the format of each text; `amount` is a decimal string. */
export interface CreateInvoiceInput {
  readonly amount: string;
  readonly currency: string;
  readonly acceptedAssets?: readonly NamedAsset[] | null;
  readonly description?: string | null;
  readonly merchantInvoiceId?: string | null;
  readonly customerEmail?: string | null;
  readonly returnUrl?: string | null;
  readonly callbackUrl?: string | null;
  readonly metadata?: Record<string, string> | null;
  /** From 5 to 43,200; by default the merchant's. */
  readonly expirationMinutes?: number | null;
  readonly test?: boolean | null;
}

/** The payment link that an invoice is made from, whose merchant has been checked before. */
export interface InvoiceOrigin {
  readonly linkId: string;
  /** What the customer wrote into its fields. */
  readonly customer: Record<string, string> | null;
  /** Null for the merchant's. */
  readonly acceptedAssets: readonly AcceptedAsset[] | null;
  /** Throws if the link takes no more. It is asked once no earlier answer was found. */
  refuse(em: EntityManager): Promise<void>;
}

export type CreateInvoice = (
  merchantId: string,
  input: CreateInvoiceInput,
  once: IdempotencyKey | null,
  origin?: InvoiceOrigin,
) => Promise<IdempotentResult<InvoiceSnapshot>>;

/** Narrows a list. Dates are those of creation; `until` is exclusive. */
export interface InvoiceFilter {
  readonly status?: readonly InvoiceStatus[] | null;
  readonly currency?: string | null;
  readonly merchantInvoiceId?: string | null;
  readonly linkId?: string | null;
  readonly needsAttention?: boolean | null;
  readonly from?: Date | null;
  readonly until?: Date | null;
}

export interface InvoicePage {
  readonly nodes: readonly InvoiceSnapshot[];
  readonly hasMore: boolean;
}

/** A customer's choice of an asset, by whom it was made. */
export interface AssetChoice extends NamedAsset {
  readonly invoiceId: string;
  /** Whether a payer made it, rather than somebody with a token. */
  readonly withoutToken: boolean;
}

/** Quotes an asset for any merchant's invoice; answers the invoice with that quote. */
export type ChooseAsset = (choice: AssetChoice) => Promise<InvoiceSnapshot>;
