// Reads and lists payment links as their merchants see them.

import type { EntityManager } from '../../database/connection.ts';
import { readRows } from '../../database/rows.ts';
import { readAnywhere } from '../../database/read-source.ts';
import { PaymentLink } from '../../entities/payment-link.ts';
import { formatAmount } from '../../values/amount.ts';
import { GatewayError } from '../../values/errors.ts';
import { isId } from '../../values/id.ts';
import type { Deps } from '../deps.ts';
import { decimalsOf } from '../snapshots/invoice.ts';

/** A link as its merchant sees it. Amounts are canonical decimal strings. */
export type LinkView = Pick<
  PaymentLink,
  ('id' | 'name' | 'currency' | 'requiredFields' | 'optionalFields' | 'uses' | 'enabled') | ('createdAt' | 'updatedAt')
> &
  Record<'description' | 'amount' | 'minAmount' | 'maxAmount' | 'returnUrl' | 'callbackUrl', string | null> & {
    /** The page to send customers to. */
    readonly url: string;
    readonly acceptedAssets: NonNullable<PaymentLink['acceptedAssets']> | null;
    readonly maxUses: number | null;
    readonly endsAt: Date | null;
    readonly metadata: Record<string, string> | null;
    readonly expirationMinutes: number | null;
  };

/** Shows a stored link. */
export function viewLink({ payUrl }: Pick<Deps, 'payUrl'>, link: PaymentLink): LinkView {
  const decimals = decimalsOf(link.currency);
  const shown = (units: bigint | null | undefined) => (units == null ? null : formatAmount(units, decimals));
  return {
    id: link.id,
    url: `${payUrl}/${link.id}`,
    name: link.name,
    description: link.description ?? null,
    amount: shown(link.amount),
    currency: link.currency,
    minAmount: shown(link.minAmount),
    maxAmount: shown(link.maxAmount),
    acceptedAssets: link.acceptedAssets ?? null,
    requiredFields: link.requiredFields,
    optionalFields: link.optionalFields,
    maxUses: link.maxUses ?? null,
    uses: link.uses,
    endsAt: link.endsAt ?? null,
    enabled: link.enabled,
    returnUrl: link.returnUrl ?? null,
    callbackUrl: link.callbackUrl ?? null,
    metadata: link.metadata ?? null,
    expirationMinutes: link.expirationMinutes ?? null,
    createdAt: link.createdAt,
    updatedAt: link.updatedAt,
  };
}

/** Any merchant's link; null if there is none with this id. */
export async function readLink(em: EntityManager, id: string): Promise<PaymentLink | null> {
  return isId('lnk', id) ? ((await readRows(em, PaymentLink, 'where id = $1', [id]))[0] ?? null) : null;
}

/** A merchant's link. Errors: 2004 if they have none with this id. */
export async function getLink(deps: Pick<Deps, 'db' | 'payUrl'>, merchantId: string, id: string): Promise<LinkView> {
  const link = await readLink(deps.db.em, id);
  if (link?.merchantId !== merchantId) throw new GatewayError('NOT_FOUND');
  return viewLink(deps, link);
}

/** Sorts after every id. */
const LAST = '~';

/** A page of a merchant's links, newest first, below the id `before`. */
export async function findLinks(
  deps: Pick<Deps, 'db' | 'payUrl'>,
  merchantId: string,
  { limit, before }: { limit: number; before: string | null },
): Promise<{ nodes: LinkView[]; hasMore: boolean }> {
  const links = await readAnywhere(deps.db, ({ em }) =>
    // The order in full, so that the planner has one index to go by.
    readRows(
      em,
      PaymentLink,
      `where (merchant_id, id) > ($1, '') and (merchant_id, id) < ($1, $2)
       order by merchant_id desc, id desc limit $3`,
      [merchantId, before ?? LAST, limit + 1],
    ),
  );
  return { nodes: links.slice(0, limit).map((link) => viewLink(deps, link)), hasMore: links.length > limit };
}
