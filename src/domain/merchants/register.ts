// Registers merchants with their first API key, and adds merchants on the operator's behalf.

import { UniqueConstraintViolationException } from '@mikro-orm/core';
import { randomUUID } from 'node:crypto';
import type { EntityManager } from '../../database/connection.ts';
import { ApiKey } from '../../entities/api-key.ts';
import { Merchant } from '../../entities/merchant.ts';
import { GatewayError } from '../../values/errors.ts';
import { newId } from '../../values/id.ts';
import type { Permission } from '../../values/permission.ts';
import { digestSecret, newKeyPair, type Secrets } from '../../values/secrets/keys.ts';
import { newWebhookSecret } from '../../values/secrets/webhook-secret.ts';
import type { Actor } from '../actor.ts';
import { recordAudit } from './audit-log.ts';
import { inTransaction, type Deps } from '../deps.ts';
import { storeAnswer, takeKey, whileInFlight, type IdempotentResult, type IdempotencyKey } from '../idempotency.ts';

/** A merchant to register. `email` in any case; `passwordHash` is null if they cannot sign in (sandbox). */
export interface NewMerchant {
  readonly email: string;
  readonly companyName: string;
  readonly passwordHash: string | null;
  readonly permissions: readonly Permission[];
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

/** Registers a merchant with one key pair, in one transaction. Errors: 2002, 2003, 2009. */
export async function registerMerchant(
  deps: Deps & { secrets: Secrets },
  request: NewMerchant,
  idempotencyKey: IdempotencyKey | null,
): Promise<IdempotentResult<Registered>> {
  return whileInFlight(idempotencyKey, () =>
    inTransaction(deps, async (em) => {
      const earlier = idempotencyKey && (await takeKey<Registered>(em, idempotencyKey));
      if (earlier) return { result: earlier, replayed: true };
      const now = deps.clock.now();
      const merchant = await insertMerchant(em, request, now);
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
      return { result, replayed: false };
    }),
  );
}

/**
 * Adds a merchant who signs in with a password and creates their own keys; returns their id. For the operator, on the
 * machine itself, even if registration is closed. Errors: 2009.
 */
export function addMerchant(
  deps: Pick<Deps, 'db' | 'clock'>,
  account: Omit<NewMerchant, 'permissions'>,
): Promise<string> {
  return inTransaction(deps, async (em) => {
    const now = deps.clock.now();
    const { id: merchantId, companyName } = await insertMerchant(em, account, now);
    const actor: Actor = { merchantId, keyId: null, ip: '127.0.0.1', requestId: randomUUID(), isOperator: true };
    await recordAudit(em, actor, { action: 'MERCHANT_ADDED', target: merchantId, details: { companyName } }, now);
    return merchantId;
  });
}

async function insertMerchant(
  em: EntityManager,
  { email, companyName, passwordHash }: Omit<NewMerchant, 'permissions'>,
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
  });
  await em.persist(merchant).flush().catch(refuseTakenEmail);
  return merchant;
}

/** A merchant's account, as shown to its tokens. */
export async function readMerchant({ db }: Pick<Deps, 'db'>, id: string): Promise<Merchant> {
  return db.em.fork().findOneOrFail(Merchant, { id });
}

function refuseTakenEmail(error: unknown): never {
  throw error instanceof UniqueConstraintViolationException ? new GatewayError('EMAIL_TAKEN', { cause: error }) : error;
}
