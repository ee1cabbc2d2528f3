// Registers merchants with their owner and first API key, and adds merchants on the operator's behalf.

import { randomUUID } from 'node:crypto';
import { query, type EntityManager } from '../../database/connection.ts';
import { ApiKey } from '../../entities/api-key.ts';
import type { Merchant } from '../../entities/merchant.ts';
import { GatewayError } from '../../values/errors.ts';
import { newId } from '../../values/id.ts';
import type { Permission } from '../../values/permission.ts';
import { digestSecret, newKeyPair, type Secrets } from '../../values/secrets/keys.ts';
import type { Actor } from '../actor.ts';
import { inTransaction, type Deps } from '../deps.ts';
import { storeAnswer, takeKey, whileInFlight, type IdempotentResult, type IdempotencyKey } from '../idempotency.ts';
import { recordAudit } from '../merchants/audit-log.ts';
import { insertMerchant, type NewMerchant } from '../merchants/merchant.ts';
import { askToVerify, refuseTakenEmail } from './email-addresses.ts';
import { noteDevice, type Device } from './devices.ts';
import { refuseReserved } from './mail-links.ts';
import { useMerchantInvitation } from './merchant-invitations.ts';

/** A merchant to register, with the permissions of their first key. */
export interface NewRegistration extends NewMerchant {
  readonly permissions: readonly Permission[];
  /** The browser in which they register, which is known at once. */
  readonly device?: Device | null;
  /** The invitation by which they register, whose link had the right secret. */
  readonly invitationId?: string | null;
}

/** The result of a registration. `secret` is shown once: it is null in a repeat. */
export interface Registered {
  readonly merchantId: string;
  readonly merchant: Pick<Merchant, 'id' | 'email' | 'companyName' | 'createdAt'>;
  readonly apiKey: {
    readonly keyId: string;
    readonly secret: string | null;
    readonly permissions: readonly Permission[];
  };
}

/**
 * Registers a merchant with one key pair, in one transaction; their owner is mailed a link that confirms the address,
 * unless the link of an invitation has. Errors: 2002, 2003, 2009; 2004 and 2011 for an invitation that does not fit.
 */
export async function registerMerchant(
  deps: Deps & { secrets: Secrets },
  request: NewRegistration,
  idempotencyKey: IdempotencyKey | null,
): Promise<IdempotentResult<Registered>> {
  return whileInFlight(idempotencyKey, () =>
    inTransaction(deps, async (em) => {
      const earlier = idempotencyKey && (await takeKey<Registered>(em, idempotencyKey));
      if (earlier) return { result: earlier, replayed: true };
      const now = deps.clock.now();
      const { email: address, invitationId = null } = request;
      const { verifiedAt } =
        invitationId === null ? UNINVITED : await useMerchantInvitation(em, { id: invitationId, email: address }, now);
      const personId = await insertPerson(em, { ...request, verifiedAt }, now);
      if (deps.sendsMail === true && verifiedAt === null)
        await askToVerify(em, { personId, email: address.toLowerCase() }, now);
      if (request.device) await noteDevice(em, request.device, personId, now);
      const merchant = await insertMerchant(em, request, personId, now);
      const { keyId, secret } = newKeyPair(deps.environment);
      em.create(ApiKey, {
        keyId,
        merchantId: merchant.id,
        secretDigest: digestSecret(deps.secrets, secret),
        name: 'Initial key',
        permissions: [...request.permissions],
        ipWhitelist: [],
        createdAt: now,
        lastUsedAt: null,
        revokedAt: null,
        createdBy: personId,
      });
      await em.flush();
      const { id, email, companyName, createdAt } = merchant;
      const apiKey = { keyId, secret, permissions: request.permissions };
      const result: Registered = { merchantId: id, merchant: { id, email, companyName, createdAt }, apiKey };
      if (
        idempotencyKey &&
        !(await storeAnswer(em, idempotencyKey, { ...result, apiKey: { ...apiKey, secret: null } }, now))
      )
        throw new GatewayError('IDEMPOTENCY_IN_FLIGHT');
      await deps.directory?.take(address);
      return { result, replayed: false };
    }),
  );
}

/**
 * Adds a merchant who signs in with a password and creates their own keys; returns their id. For the operator, on the
 * machine itself, even if registration is closed. Errors: 2009.
 */
export function addMerchant(deps: Pick<Deps, 'db' | 'clock' | 'directory'>, account: NewMerchant): Promise<string> {
  return inTransaction(deps, async (em) => {
    const now = deps.clock.now();
    const personId = await insertPerson(em, { ...account, ...UNINVITED }, now);
    const { id: merchantId, companyName } = await insertMerchant(em, account, personId, now);
    const actor: Actor = { merchantId, keyId: null, ip: '127.0.0.1', requestId: randomUUID(), isOperator: true };
    await recordAudit(em, actor, { action: 'MERCHANT_ADDED', target: merchantId, details: { companyName } }, now);
    await deps.directory?.take(account.email);
    return merchantId;
  });
}

/** Nothing has shown yet that the address is theirs. */
const UNINVITED: { readonly verifiedAt: Date | null } = { verifiedAt: null };

/** Inserts a person; returns their id. Errors: 2009 if somebody has the e-mail address, or may take it back. */
async function insertPerson(
  em: EntityManager,
  { email, passwordHash, verifiedAt }: Pick<NewMerchant, 'email' | 'passwordHash'> & typeof UNINVITED,
  now: Date,
): Promise<string> {
  const id = newId('usr', now.getTime());
  await query(
    em,
    `insert into person (id, email, email_verified_at, password_hash, name, created_at) values ($1, $2, $3, $4, '', $5)`,
    [id, email.toLowerCase(), verifiedAt, passwordHash, now],
  ).catch(refuseTakenEmail);
  await refuseReserved(em, { personId: id, email: email.toLowerCase() }, now);
  return id;
}
