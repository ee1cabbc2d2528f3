// Visits to the provider of identities: a browser leaves for it, and comes back with an answer. What the answer needs
// is sealed in a challenge, which only the browser that left can use, and once.

import { createHash, randomBytes } from 'node:crypto';
import { query } from '../../database/connection.ts';
import { GatewayError } from '../../values/errors.ts';
import { isId } from '../../values/id.ts';
import type { Correlation } from '../../values/identity-provider.ts';
import { linkSecret, readLinkSecret } from '../../values/secrets/mail-links.ts';
import type { Secrets } from '../../values/secrets/keys.ts';
import { seal, unseal } from '../../values/secrets/sealed.ts';
import type { PersonActor } from '../actor.ts';
import type { Deps } from '../deps.ts';
import {
  closeChallenge,
  newChallengeId,
  openChallenge,
  takeTry,
  type Challenge,
  type OidcPurpose,
} from '../factors/challenges.ts';

/** What somebody goes to the provider for. */
export type Aim =
  | { readonly kind: 'SIGN_IN' }
  /** To link an identity, in a session that was confirmed. */
  | { readonly kind: 'LINK'; readonly personId: string; readonly sessionId: string }
  /** To answer this challenge of a confirmation. */
  | { readonly kind: 'CONFIRMATION'; readonly personId: string; readonly challengeId: string }
  | { readonly kind: 'INVITATION'; readonly invitationId: string };

/** A browser that leaves: the secret in its cookie for the visit, and the one by which it is known, if it shows one. */
export interface Visitor {
  readonly browser: string;
  readonly device: string | null;
}

/** What a visit came back to. */
export interface Visit extends Correlation {
  readonly aim: Aim;
  readonly device: string | null;
  /** When the browser left. */
  readonly leftAt: Date;
}

type VisitDeps = Pick<Deps, 'db' | 'clock'> & { readonly secrets: Pick<Secrets, 'linkKey' | 'sealKey'> };

/** Signing in at the provider may take long: a password, a second factor, a consent. */
const OPEN_FOR_MS = 10 * 60_000;

/** A fresh secret for a browser's cookie: 256 random bits. */
export const newVisitSecret = (): string => randomBytes(32).toString('base64url');

const digestOf = (browser: string): string => createHash('sha256').update(browser).digest('base64url');

interface Sealed extends Omit<Correlation, 'state'> {
  readonly aim: Aim;
  readonly browser: string;
  readonly device: string | null;
  readonly leftAt: number;
}

/** Begins a visit; returns what the provider is asked with. */
export async function beginVisit(deps: VisitDeps, aim: Aim, { browser, device }: Visitor): Promise<Correlation> {
  const id = newChallengeId(deps);
  const [nonce, verifier] = [newVisitSecret(), newVisitSecret()];
  const leftAt = deps.clock.now().getTime();
  const kept: Sealed = { aim, nonce, verifier, browser: digestOf(browser), device, leftAt };
  const personId = 'personId' in aim ? aim.personId : null;
  await openSealed(deps, { id, purpose: 'OIDC', personId, sessionId: null, openForMs: OPEN_FOR_MS }, kept);
  return { nonce, verifier, state: linkSecret(deps.secrets.linkKey, id) };
}

/**
 * Ends a visit: of two browsers that come back with one answer, one gets on. Errors: 2004 for a state that is not ours,
 * was used, is over, or is another browser's.
 */
export async function endVisit(deps: VisitDeps, state: string, browser: string | null): Promise<Visit> {
  const id = readLinkSecret(deps.secrets.linkKey, state);
  if (id === null || browser === null) throw new GatewayError('NOT_FOUND');
  const challenge = await takeTry(deps, id, { purposes: ['OIDC'], sessionId: null });
  const kept = opened<Sealed>(deps, challenge);
  if (kept.browser !== digestOf(browser)) throw new GatewayError('NOT_FOUND');
  await closeChallenge(deps.db.em, id, deps.clock.now());
  const { aim, nonce, verifier, device, leftAt } = kept;
  return { aim, nonce, verifier, device, state, leftAt: new Date(leftAt) };
}

/** Makes the challenge by which a session that was confirmed goes to the provider to link an identity. */
export async function askToLink(
  deps: VisitDeps,
  { personId, sessionId }: PersonActor & { readonly sessionId: string },
): Promise<Challenge> {
  return await openChallenge(deps, { purpose: 'OIDC_LINK', personId, sessionId });
}

/** Makes the challenge by which this browser goes to the provider to accept an invitation. */
export async function askToAccept(deps: VisitDeps, invitationId: string, browser: string): Promise<Challenge> {
  const asked = { id: newChallengeId(deps), purpose: 'OIDC_INVITATION', personId: null, sessionId: null } as const;
  return await openSealed(deps, asked, { invitationId, browser: digestOf(browser) });
}

/** Who leaves for the provider: the session of the browser, and its secret for visits; null without them. */
export interface Leaving {
  readonly sessionId: string | null;
  readonly browser: string | null;
}

/**
 * What a challenge has its browser go to the provider for; a link and an invitation use it up. Errors: 2004, also for
 * one of another session or browser.
 */
export async function aimOf(deps: VisitDeps, id: string, { sessionId, browser }: Leaving): Promise<Aim> {
  const find = 'select session_id is not null as "isOfSession" from challenge where id = $1';
  const [row] = isId('chg', id) ? await query<{ isOfSession: boolean }>(deps.db.em, find, [id]) : [];
  if (!row || (row.isOfSession && sessionId === null)) throw new GatewayError('NOT_FOUND');
  const purposes = ['OIDC_LINK', 'OIDC_INVITATION', 'CONFIRMATION'] as const;
  const challenge = await takeTry(deps, id, { purposes, sessionId: row.isOfSession ? sessionId : null });
  const { purpose, personId } = challenge;
  if (purpose === 'CONFIRMATION' && personId !== null) return { kind: 'CONFIRMATION', personId, challengeId: id };
  await closeChallenge(deps.db.em, id, deps.clock.now());
  if (purpose === 'OIDC_LINK' && personId !== null && sessionId !== null) return { kind: 'LINK', personId, sessionId };
  const kept = opened<{ invitationId: string; browser: string }>(deps, challenge);
  if (browser === null || kept.browser !== digestOf(browser)) throw new GatewayError('NOT_FOUND');
  return { kind: 'INVITATION', invitationId: kept.invitationId };
}

interface NewSealed {
  readonly id: string;
  readonly purpose: OidcPurpose;
  readonly personId: string | null;
  readonly sessionId: null;
  readonly openForMs?: number;
}

function openSealed(deps: VisitDeps, asked: NewSealed, kept: unknown): Promise<Challenge> {
  const sealedSecret = seal(deps.secrets.sealKey, JSON.stringify(kept), asked.id);
  return openChallenge(deps, { ...asked, sealedSecret });
}

function opened<Kept>({ secrets }: VisitDeps, { id, sealedSecret }: Challenge): Kept {
  const text = sealedSecret && unseal(secrets.sealKey, sealedSecret, id);
  if (text === null) throw new GatewayError('NOT_FOUND');
  return JSON.parse(text) as Kept;
}
