// What somebody signs in with. Nobody takes the last of it away from themselves.

import { query, type EntityManager } from '../../database/connection.ts';
import { GatewayError } from '../../values/errors.ts';

/** Of changes at once to what a person signs in with, each sees what the one before has made. */
export async function lockPerson(em: EntityManager, personId: string): Promise<void> {
  await query(em, 'select from person where id = $1 for no key update', [personId]);
}

/**
 * Ends the current transaction with 2011 if it has left a person no way to sign in: no password, no passkey, and no
 * identity of the provider of now (`issuer`, null without a provider).
 */
export async function requireWayIn(em: EntityManager, personId: string, issuer: string | null): Promise<void> {
  const found = await query(
    em,
    `select from person p where p.id = $1 and (p.password_hash is not null
       or exists (select from factor f where f.person_id = p.id and f.kind = 'PASSKEY')
       or exists (select from oidc_identity i where i.person_id = p.id and i.issuer = $2))`,
    [personId, issuer],
  );
  if (found.length === 0)
    throw new GatewayError('PEOPLE_CONFLICT', {
      message: 'It is your last way to sign in: choose a password or set up a passkey first',
    });
}
