// What merchants and customers ask of payment links (contract-invoices, sections 5 and 9).

import type { LinkField } from '../../entities/enums.ts';
import type { NamedAsset } from '../invoices/requests.ts';

/** What may be changed of a link. Amounts are decimal strings; the schema has checked the format of each text. */
export interface LinkFields {
  readonly name: string;
  readonly description?: string | null;
  /** Bounds of what a customer may say; for an open link only. */
  readonly minAmount?: string | null;
  readonly maxAmount?: string | null;
  readonly acceptedAssets?: readonly NamedAsset[] | null;
  readonly requiredFields?: readonly LinkField[] | null;
  readonly optionalFields?: readonly LinkField[] | null;
  readonly maxUses?: number | null;
  readonly endsAt?: Date | null;
  /** True, if left out. */
  readonly enabled?: boolean | null;
  readonly returnUrl?: string | null;
  readonly callbackUrl?: string | null;
  readonly metadata?: Record<string, string> | null;
  readonly expirationMinutes?: number | null;
}

/** A link to create. Without an amount it is open. */
export interface CreateLinkRequest extends LinkFields {
  readonly amount?: string | null;
  readonly currency: string;
}

/** What to change. Undefined means no change; null clears what can be empty and means no change elsewhere. */
export type LinkChange = { readonly [Name in keyof LinkFields]?: LinkFields[Name] | null | undefined };

/** What a customer writes into a link's form; null is the same as left out. */
export interface Submission {
  readonly linkId: string;
  readonly amount?: string | null;
  readonly email?: string | null;
  readonly name?: string | null;
  readonly phone?: string | null;
  readonly address?: string | null;
  readonly note?: string | null;
}
