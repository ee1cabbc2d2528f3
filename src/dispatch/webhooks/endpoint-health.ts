// Tracks since when a webhook endpoint has been failing, and disables it after days of failures (contract, section 7).

import { disableEndpoint } from '../../database/queries/webhooks/disable-deliveries.ts';
import { countAttempts, lockEndpoint, setFailingSince } from '../../database/queries/webhooks/endpoint-failures.ts';
import type { EntityManager } from '../../database/connection.ts';
import { inTransaction, type Deps } from '../../domain/deps.ts';
import { endpointDisabledRow, recordEvents } from '../../domain/events/record.ts';

/** Fewest failed attempts before an endpoint is disabled, however long they took. */
const FEWEST_ATTEMPTS = 20;

/** What a recorded attempt says about its endpoint's health; in the order in which the attempts ended. */
export interface HealthSign {
  readonly endpointId: string;
  /** The endpoint's value when the attempt was recorded. */
  readonly failingSince: Date | null;
  readonly failed: boolean;
  /** When the attempt started. */
  readonly at: Date;
}

/** The changes to store, and the endpoints that have been failing since `longAgo` or earlier. */
export interface HealthChange {
  readonly since: ReadonlyMap<string, Date | null>;
  readonly suspects: readonly string[];
}

/** Folds attempts into changes. Pure. Endpoints whose state does not change are left out. */
export function foldHealth(signs: readonly HealthSign[], longAgo: Date): HealthChange {
  const now = new Map<string, Date | null>();
  const before = new Map<string, Date | null>();
  for (const { endpointId, failingSince, failed, at } of signs) {
    if (!before.has(endpointId)) before.set(endpointId, failingSince);
    const since = now.get(endpointId) ?? (now.has(endpointId) ? null : failingSince);
    now.set(endpointId, failed ? (since ?? at) : null);
  }
  const since = new Map([...now].filter(([id, date]) => (date === null) !== (before.get(id) === null)));
  const suspects = [...now].filter(([, date]) => date !== null && date <= longAgo).map(([id]) => id);
  return { since, suspects };
}

type HealthDeps = Pick<Deps, 'db' | 'clock' | 'signals'>;

/**
 * Stores changes to endpoints' health, and disables endpoints that have failed for long enough. It runs after the
 * attempts are recorded, not with them, so that recording a batch waits for no endpoint's lock. Changes lost in between
 * are made up for by the next attempt, and an endpoint's attempts are counted before it is disabled.
 */
export async function noteHealth(
  deps: HealthDeps,
  signs: readonly HealthSign[],
  disableAfterMs: number,
): Promise<void> {
  const longAgo = new Date(deps.clock.now().getTime() - disableAfterMs);
  const { since, suspects } = foldHealth(signs, longAgo);
  await setFailingSince(deps.db.em, since);
  for (const endpointId of suspects) {
    if (await inTransaction(deps, (em) => disableIfFailing(deps, em, endpointId, longAgo))) deps.signals.events();
  }
}

async function disableIfFailing(
  deps: HealthDeps,
  em: EntityManager,
  endpointId: string,
  longAgo: Date,
): Promise<boolean> {
  const endpoint = await lockEndpoint(em, endpointId);
  const { merchantId = '', enabled = false, failingSince: since = null } = endpoint ?? {};
  if (!enabled || since === null || since > longAgo) return false;
  const { failed, lastSuccessAt } = await countAttempts(em, { id: endpointId, merchantId, since });
  // A success that ended together with a failure may have been ordered before it.
  if (lastSuccessAt !== null) await setFailingSince(em, new Map([[endpointId, null]]));
  if (lastSuccessAt !== null || failed < FEWEST_ATTEMPTS) return false;
  const reason = `All ${failed} attempts since ${since.toISOString()} failed`;
  return switchOff(deps, em, { endpointId, merchantId, reason });
}

/**
 * Disables a locked endpoint and records the event, both in the current transaction. False if it was already disabled.
 */
export async function switchOff(
  { clock }: Pick<Deps, 'clock'>,
  em: EntityManager,
  { endpointId, merchantId, reason }: { endpointId: string; merchantId: string; reason: string },
): Promise<boolean> {
  const at = clock.now();
  if (!(await disableEndpoint(em, endpointId, { reason, at }))) return false;
  await recordEvents(em, [endpointDisabledRow(merchantId, at)]);
  return true;
}
