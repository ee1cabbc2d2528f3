// The secret that signs a merchant's webhooks, and how it is rotated; for a while the old one signs as well.

import { query, type EntityManager } from '../../database/connection.ts';
import { newWebhookSecret } from '../../values/secrets/webhook-secret.ts';
import type { Actor } from '../actor.ts';
import { recordAudit } from '../merchants/audit-log.ts';
import type { Deps } from '../deps.ts';
import type { IdempotentResult, IdempotencyKey } from '../idempotency.ts';
import { runIdempotent } from '../idempotent-request.ts';

export const DEFAULT_OVERLAP_HOURS = 24;
export const MOST_OVERLAP_HOURS = 168;

/** A new secret. Until `previousExpiresAt`, the previous one signs as well. */
export interface RotatedSecret {
  /** Null in a repeat. */
  readonly secret: string | null;
  readonly previousExpiresAt: Date;
}

const HOUR_MS = 3_600_000;

/**
 * Creates a new secret. The previous one signs as well for `overlapHours`, not at all with 0; one older than that is
 * dropped. Errors: 2002, 2003.
 */
export function rotateSecret(
  deps: Pick<Deps, 'db' | 'clock'>,
  actor: Actor,
  overlapHours: number | null,
  idempotencyKey: IdempotencyKey | null,
): Promise<IdempotentResult<RotatedSecret>> {
  const hours = overlapHours ?? DEFAULT_OVERLAP_HOURS;
  const overlapMs = hours * HOUR_MS;
  return runIdempotent<RotatedSecret>(
    deps,
    idempotencyKey,
    async (em, now) => {
      const secret = newWebhookSecret();
      const previousExpiresAt = new Date(now.getTime() + overlapMs);
      await query(
        em,
        `update merchant set webhook_secret = $2, previous_webhook_secret = case when $4 then webhook_secret end,
           previous_secret_expires_at = case when $4 then $3::timestamptz end
         where id = $1`,
        [actor.merchantId, secret, previousExpiresAt, overlapMs > 0],
      );
      const audited = { action: 'WEBHOOK_SECRET_ROTATED', target: null, details: { overlapHours: hours } } as const;
      await recordAudit(em, actor, audited, now);
      return { secret, previousExpiresAt };
    },
    (rotated) => ({ ...rotated, secret: null }),
  );
}

/** Reads it, without the one before; null if there is no such merchant. */
export async function readWebhookSecret(em: EntityManager, merchantId: string): Promise<string | null> {
  const [row] = await query<{ secret: string }>(em, 'select webhook_secret as secret from merchant where id = $1', [
    merchantId,
  ]);
  return row?.secret ?? null;
}
