// The default settings of new payments, cached for a second: they are read for every payment and rarely change.

import type { LatePaymentPolicy } from '../../entities/merchant.ts';
import { query } from '../../database/connection.ts';
import { GatewayError } from '../../values/errors.ts';
import type { Deps } from '../deps.ts';

export interface PaymentDefaults {
  readonly expirationMinutes: number;
  readonly toleranceBasisPoints: number;
  readonly latePaymentPolicy: LatePaymentPolicy;
  readonly defaultReturnUrl: string | null;
}

export interface PaymentDefaultsCache {
  read(merchantId: string): Promise<PaymentDefaults>;
  /** Call it after a change in this process, so that the next payment uses the new settings. */
  forget(merchantId: string): void;
}

const FRESH_MS = 1_000;
const MOST_KEPT = 10_000;
const READ = `select expiration_minutes as "expirationMinutes", tolerance_basis_points as "toleranceBasisPoints",
  late_payment_policy as "latePaymentPolicy", default_return_url as "defaultReturnUrl" from merchant where id = $1`;

/** Creates this process's cache. A change in another process is visible within a second. */
export function createPaymentDefaults(deps: Pick<Deps, 'db'>): PaymentDefaultsCache {
  const kept = new Map<string, { value: Promise<PaymentDefaults>; readAtMs: number }>();

  async function read(merchantId: string): Promise<PaymentDefaults> {
    const [row] = await query<PaymentDefaults>(deps.db.em, READ, [merchantId]);
    if (!row) throw new GatewayError('INVALID_TOKEN');
    return row;
  }

  return {
    forget: (merchantId) => void kept.delete(merchantId),
    read(merchantId) {
      const entry = kept.get(merchantId);
      if (entry && performance.now() - entry.readAtMs < FRESH_MS) return entry.value;
      if (kept.size >= MOST_KEPT) kept.clear();
      const value = read(merchantId);
      kept.set(merchantId, { value, readAtMs: performance.now() });
      value.catch(() => kept.delete(merchantId));
      return value;
    },
  };
}
