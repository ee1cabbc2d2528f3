// The row of a merchant: made with its first owner, and read by its tokens.

import { query, type EntityManager } from '../../database/connection.ts';
import { Merchant } from '../../entities/merchant.ts';
import { newId } from '../../values/id.ts';
import { newWebhookSecret } from '../../values/secrets/webhook-secret.ts';
import type { Deps } from '../deps.ts';

/** A merchant to add. `email` in any case; `passwordHash` is null if they cannot sign in (sandbox). */
export interface NewMerchant {
  readonly email: string;
  readonly companyName: string;
  readonly passwordHash: string | null;
}

/** Inserts a merchant with their first owner, in the current transaction. */
export async function insertMerchant(
  em: EntityManager,
  { email, companyName, passwordHash }: NewMerchant,
  ownerId: string,
  now: Date,
): Promise<Merchant> {
  const merchant = em.create(Merchant, {
    id: newId('mer', now.getTime()),
    email: email.toLowerCase(),
    companyName,
    passwordHash,
    webhookSecret: newWebhookSecret(),
    defaultReturnUrl: null,
    logoUrl: null,
    accentColor: null,
    locale: null,
    createdAt: now,
    hasPeople: true,
  });
  await em.persist(merchant).flush();
  await query(
    em,
    `insert into membership (merchant_id, person_id, role, approves_from, created_at) values ($1, $2, 'OWNER', $3, $3)`,
    [merchant.id, ownerId, now],
  );
  await query(em, FIRST_MERCHANT, [ownerId, merchant.id]);
  return merchant;
}

const FIRST_MERCHANT = 'update person set last_merchant_id = coalesce(last_merchant_id, $2) where id = $1';

/** A merchant's account, as shown to its tokens. */
export async function readMerchant({ db }: Pick<Deps, 'db'>, id: string): Promise<Merchant> {
  return db.em.fork().findOneOrFail(Merchant, { id });
}
