// Merchants and their first key pair.

import { UniqueConstraintViolationException } from '@mikro-orm/core';
import { ApiKey } from '../entities/api-key.ts';
import { Merchant } from '../entities/merchant.ts';
import { GatewayError } from '../values/errors.ts';
import { newId } from '../values/id.ts';
import type { Permission } from '../values/permission.ts';
import { digestSecret, newKeyPair, type Secrets } from '../values/secrets.ts';
import { newWebhookSecret } from '../values/webhook-secret.ts';
import { inTransaction, type Deps } from './deps.ts';
import { storeAnswer, takeKey, whileInFlight, type Once, type OnceKey } from './once.ts';

/** A merchant to register. `email` in any case; `passwordHash` null where he will not sign in (sandbox). */
export interface NewMerchant {
  readonly email: string;
  readonly companyName: string;
  readonly passwordHash: string | null;
  readonly permissions: readonly Permission[];
}

/** What registration answers. `secret` is shown this once: it is null in a repeat. */
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
  once: OnceKey | null,
): Promise<Once<Registered>> {
  return whileInFlight(once, () =>
    inTransaction(deps, async (em) => {
      const earlier = once && (await takeKey<Registered>(em, once));
      if (earlier) return { result: earlier, replayed: true };
      const now = deps.clock.now();
      const merchant = em.create(Merchant, {
        id: newId('mer', now.getTime()),
        email: request.email.toLowerCase(),
        companyName: request.companyName,
        passwordHash: request.passwordHash,
        webhookSecret: newWebhookSecret(),
        defaultReturnUrl: null,
        logoUrl: null,
        accentColor: null,
        locale: null,
        createdAt: now,
      });
      const { keyId, secret } = newKeyPair(deps.environment);
      await em.persist(merchant).flush().catch(refuseTakenEmail);
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
      if (once && !(await storeAnswer(em, once, { ...result, apiKey: { ...apiKey, secret: null } }, now)))
        throw new GatewayError('IDEMPOTENCY_IN_FLIGHT');
      return { result, replayed: false };
    }),
  );
}

/** A merchant's account, as a token of his shows it. */
export async function readMerchant({ db }: Pick<Deps, 'db'>, id: string): Promise<Merchant> {
  return db.em.fork().findOneOrFail(Merchant, { id });
}

function refuseTakenEmail(error: unknown): never {
  throw error instanceof UniqueConstraintViolationException ? new GatewayError('EMAIL_TAKEN', { cause: error }) : error;
}
