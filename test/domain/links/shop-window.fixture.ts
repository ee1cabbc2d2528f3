// A shop's window: payment links in the domain's tests, over a till of invoices.

import type { Actor } from '../../../src/domain/actor.ts';
import { createLink } from '../../../src/domain/links/payment-links.ts';
import { getLink, readLink, type LinkView } from '../../../src/domain/links/read-links.ts';
import type { CreateLinkRequest, Submission } from '../../../src/domain/links/requests.ts';
import { submitLink } from '../../../src/domain/links/submit-link.ts';
import type { IdempotencyKey } from '../../../src/domain/idempotency.ts';
import type { Till } from '../invoices/till.fixture.ts';

export const actorOf = (merchantId: string): Actor => ({ merchantId, keyId: null, ip: '::1', requestId: 'r' });

/** A link of 20 USD unless `fields` say otherwise. */
export const open = async (
  { deps }: Pick<Till, 'deps'>,
  merchantId: string,
  fields: Partial<CreateLinkRequest> = {},
): Promise<LinkView> => {
  const request = { name: 'Window', amount: '20', currency: 'USD', ...fields };
  return (await createLink(deps, actorOf(merchantId), request, null)).result;
};

/** Submits a link's form as a customer does. */
export async function submit(
  { deps, createOnce }: Pick<Till, 'deps' | 'createOnce'>,
  { id }: { readonly id: string },
  fields: Omit<Submission, 'linkId'> = {},
  once: IdempotencyKey | null = null,
) {
  const link = await readLink(deps.db.em, id);
  if (!link) throw new Error(`there is no link ${id}`);
  return submitLink({ deps, createInvoice: createOnce }, link, { ...fields, linkId: id }, once);
}

export const usesOf = async ({ deps }: Pick<Till, 'deps'>, merchantId: string, { id }: { readonly id: string }) =>
  (await getLink(deps, merchantId, id)).uses;
