// The way to the provider of identities and back: what somebody goes there for, and what they come back to. An identity
// stands for the password; the factors of a person are asked for after it.

import type { OperationContext } from '../../access/caller.ts';
import type { ProviderPages, VisitOutcome, VisitRefusal } from '../../access/provider-pages.ts';
import { noteVouched } from '../../domain/factors/challenges.ts';
import { hasIdentityAlone, linkIdentity, personOfIdentity } from '../../domain/people/identities.ts';
import { acceptInvitation } from '../../domain/people/accept-invitation.ts';
import { readOffer } from '../../domain/people/invitation-offer.ts';
import { readCredentials } from '../../domain/people/passwords.ts';
import {
  aimOf,
  beginVisit,
  endVisit,
  newVisitSecret,
  type Aim,
  type Visit,
} from '../../domain/people/provider-visits.ts';
import { GatewayError } from '../../values/errors.ts';
import type { IdentityProvider, ProviderFailure, ProviderIdentity } from '../../values/identity-provider.ts';
import { peopleDeps, type Services } from '../services.ts';
import { goOnAfter, placeOf, startSession } from './sign-in.ts';

/** Makes the pages' answers for a provider. */
export function createProviderPages(services: Services, provider: IdentityProvider): ProviderPages {
  return {
    name: provider.name,
    start: (context, challengeId) => start(services, provider, context, challengeId),
    async finish(context, query) {
      await context.throttle();
      const state = new URLSearchParams(query).get('state') ?? '';
      const visit = await endVisit(services.deps, state, context.cookie?.visit ?? null);
      const { aim, leftAt } = visit;
      const isConfirmation = aim.kind === 'CONFIRMATION';
      try {
        const came = await provider.finish({ ...visit, query, signedInAfter: isConfirmation ? leftAt : null });
        if (came.kind !== 'identity') return { kind: 'refused', why: came.kind, isConfirmation };
        const outcome = await arrive(services, known(context, visit), aim, came.identity);
        return 'why' in outcome ? { ...outcome, isConfirmation } : outcome;
      } catch (error) {
        if (!(error instanceof GatewayError)) throw error;
        return { kind: 'failed', error: error.errorName, message: error.message, isConfirmation };
      }
    },
  };
}

async function start(
  services: Services,
  provider: IdentityProvider,
  context: OperationContext,
  challengeId: string | null,
): Promise<{ readonly url: string } | { readonly refusal: ProviderFailure['kind'] }> {
  await context.throttle();
  const { deps } = services;
  const { cookie, caller } = context;
  const shown = cookie?.visit ?? null;
  const leaving = { sessionId: caller?.sessionId ?? null, browser: shown };
  const aim: Aim = challengeId === null ? { kind: 'SIGN_IN' } : await aimOf(deps, challengeId, leaving);
  const isAnew = aim.kind === 'CONFIRMATION';
  if (isAnew && !(await hasIdentityAlone(deps, aim.personId, provider.issuer))) throw new GatewayError('NOT_FOUND');
  const browser = shown ?? newVisitSecret();
  cookie?.keepVisit?.(browser);
  const asked = await beginVisit(deps, aim, { browser, device: cookie?.device ?? null });
  const question = await provider.begin({ ...asked, isAnew });
  return question.kind === 'at' ? { url: question.url } : { refusal: question.kind };
}

/** The browser sends the cookie by which it is known when it leaves, and not when it comes from another site. */
function known(context: OperationContext, { device }: Visit): OperationContext {
  return context.cookie ? { ...context, cookie: { ...context.cookie, device } } : context;
}

type Outcome = Exclude<VisitOutcome, VisitRefusal> | Extract<VisitRefusal, { readonly kind: 'refused' }>;

/** What comes of an identity that was shown. */
async function arrive(
  services: Services,
  context: OperationContext,
  aim: Aim,
  identity: ProviderIdentity,
): Promise<Outcome> {
  const { deps } = services;
  const { ip, requestId } = context;
  if (aim.kind === 'LINK') {
    await linkIdentity(deps, { ...aim, ip, requestId }, identity);
    return { kind: 'linked' };
  }
  const personId = await personOfIdentity(deps, identity);
  if (aim.kind === 'INVITATION') return accept(services, context, { ...aim, personId }, identity);
  if (personId === null) return { kind: 'refused', why: 'unknown' };
  if (aim.kind === 'SIGN_IN') return signIn(services, context, personId);
  if (personId !== aim.personId) return { kind: 'refused', why: 'foreign' };
  await noteVouched(deps, aim.challengeId, personId);
  return { kind: 'confirmed' };
}

/** The identity was the first step, as a password is; it counts like one, and so do the steps after it. */
async function signIn(services: Services, context: OperationContext, personId: string): Promise<Outcome> {
  const found = await readCredentials(services.deps, personId);
  const who = { email: found.email, ...placeOf(context) };
  const checked = await services.attempts.attempt(who, (isSuspect) => Promise.resolve({ isSuspect, found }), {
    isFirst: ({ isSuspect }) => isSuspect || found.hasSecondFactor,
  });
  const { challenge } = await goOnAfter(services, context, { email: found.email, forOperator: false }, checked);
  if (challenge === null) return { kind: 'signed-in' };
  const { id, factors, passkey } = challenge;
  return { kind: 'asked', question: { id, factors, passkey } };
}

interface Accepting {
  readonly invitationId: string;
  /** Whose the identity is; null if it is linked to no person. */
  readonly personId: string | null;
}

/**
 * Accepts an invitation as who has the identity, or as somebody new, whose it is from then on. An account that has the
 * address already is not theirs by that: its owner signs in, and links the identity there.
 */
async function accept(
  services: Services,
  context: OperationContext,
  { invitationId, personId }: Accepting,
  identity: ProviderIdentity,
): Promise<Outcome> {
  const { deps } = services;
  const { ip, requestId } = context;
  if (personId !== null && (await readCredentials(deps, personId)).hasSecondFactor)
    throw new GatewayError('SECOND_FACTOR_NEEDED', { message: 'Sign in first, then open the link again' });
  if (personId === null && (await readOffer(deps, invitationId))?.hasAccount === true)
    return { kind: 'refused', why: 'has-account' };
  const accepting = personId === null ? { name: '', passwordHash: null, identity } : { personId };
  const actor = await acceptInvitation(peopleDeps(services), invitationId, accepting, { ip, requestId });
  await startSession(services, context, actor, { isFirst: personId === null });
  return { kind: 'signed-in' };
}
