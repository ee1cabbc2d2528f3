// What the last attempt of a delivery sent, written again from what is stored: bodies and signatures are kept nowhere,
// so that what was erased is gone, and secrets stay in one place.

import { readSentAttempts, type SentAttempt } from '../../database/queries/webhooks/sent-attempts.ts';
import { readAnywhere } from '../../database/read-source.ts';
import type { Deps } from '../deps.ts';
import { SIGNATURES, writeRequest } from './request.ts';

/** A request as it was sent. */
export interface SentRequest {
  /** In the order in which they were sent. Those of the signature are missing where it cannot be made again. */
  readonly headers: readonly { readonly name: string; readonly value: string }[];
  /** Null if it was erased. */
  readonly body: string | null;
  /** What it tells of: a payment or an invoice, a payout, or nothing. */
  readonly subject: SentAttempt['subject'];
}

/**
 * An attempt starts within the lease of its claim, with the secrets that were read for that: so near to a change it is
 * not known which they were. That also covers clocks that differ.
 */
const UNSURE_MS = 60_000;

/** The last requests of deliveries, in the order of `deliveryIds`; null for those that were not tried. */
export async function findSentRequests(
  { db }: Pick<Deps, 'db'>,
  deliveryIds: readonly string[],
): Promise<(SentRequest | null)[]> {
  const sent = await readAnywhere(db, ({ pool }) => readSentAttempts(pool, deliveryIds));
  const requests = new Map(sent.map((attempt) => [attempt.deliveryId, toRequest(attempt)]));
  return deliveryIds.map((id) => requests.get(id) ?? null);
}

function toRequest(attempt: SentAttempt): SentRequest {
  const secrets = attempt.body === null ? null : secretsOf(attempt);
  // A body that was erased is written as an empty event, and what depends on it left out.
  const body = Buffer.from(attempt.body ?? '{"data":{}}');
  const written = writeRequest({ ...attempt, body, secrets: secrets ?? [] });
  const headers = Object.entries(written.headers)
    .filter(([name]) => secrets !== null || !SIGNATURES.includes(name))
    .map(([name, value]) => ({ name, value }));
  return { headers, body: attempt.body === null ? null : written.body.toString(), subject: attempt.subject };
}

/** The secrets that an attempt was signed with; null if they are not known any more, or not for sure. */
export function secretsOf(
  attempt: Pick<SentAttempt, 'at' | 'secret' | 'secretSince' | 'previousSecret' | 'previousEndsAt'>,
): readonly string[] | null {
  const { secret, secretSince, previousSecret, previousEndsAt } = attempt;
  const at = attempt.at.getTime();
  if (secretSince !== null && at < secretSince.getTime() + UNSURE_MS) return null;
  if (previousSecret === null || previousEndsAt === null) return [secret];
  const ends = previousEndsAt.getTime();
  if (Math.abs(at - ends) < UNSURE_MS) return null;
  return at < ends ? [secret, previousSecret] : [secret];
}
