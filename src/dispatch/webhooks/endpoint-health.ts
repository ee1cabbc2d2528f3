// Endpoints that fail for days: since when, and when it is enough (contract, section 7).

import { disableEndpoint } from '../../database/queries/webhooks/disable-deliveries.ts';
import { countAttempts, lockEndpoint, setFailingSince } from '../../database/queries/webhooks/endpoint-failures.ts';
import type { EntityManager } from '../../database/connection.ts';
import { inTransaction, type Deps } from '../../domain/deps.ts';
import { endpointDisabledRow, recordEvents } from '../../domain/events/record.ts';

/** An endpoint is not switched off for fewer failed attempts than this, however long they took. */
const FEWEST_ATTEMPTS = 20;

/** An attempt that was recorded, as far as its endpoint's health goes; in the order in which they ended. */
export interface HealthSign {
  readonly endpointId: string;
  /** The endpoint's, as the record found it. */
  readonly failingSince: Date | null;
  readonly failed: boolean;
  /** When the attempt started. */
  readonly at: Date;
}

/** What attempts leave of endpoints' health: what is to be written, and which have failed since `longAgo` or before. */
export interface HealthChange {
  readonly since: ReadonlyMap<string, Date | null>;
  readonly suspects: readonly string[];
}

/** Folds attempts. Pure. An endpoint that is and stays well, or fails as it did, is not written. */
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
 * Writes what attempts leave of endpoints' health, and switches off those that have failed for long enough. It comes
 * after the attempts are recorded and not with them, so that a batch of attempts waits for no endpoint's lock. What is
 * lost between the two is made good by the next attempt, and nothing is switched off without a look at its attempts.
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
  // A success that ended together with a failure may have been taken for the earlier of the two.
  if (lastSuccessAt !== null) await setFailingSince(em, new Map([[endpointId, null]]));
  if (lastSuccessAt !== null || failed < FEWEST_ATTEMPTS) return false;
  const reason = `All ${failed} attempts since ${since.toISOString()} failed`;
  return switchOff(deps, em, { endpointId, merchantId, reason });
}

/** Switches a held endpoint off and records the event, both in the transaction at hand. False: it was off already. */
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
