// Judges what somebody answers when they are asked for a factor. What was right is used up in one transaction with the
// challenge: of two equal answers at once one wins.

import type { EntityManager } from '../../database/connection.ts';
import type { FactorKind } from '../../entities/enums.ts';
import type { Secrets } from '../../values/secrets/keys.ts';
import { inTransaction } from '../deps.ts';
import { closeChallenge, openChallenge, type Challenge, type NewChallenge } from './challenges.ts';
import { hold, kindsOf, tellFactors, type HoldDeps } from './factors.ts';
import { acceptMailedCode } from './mailed-codes.ts';
import {
  askForPasskey,
  findPasskey,
  matchPasskey,
  usePasskey,
  type Asked,
  type PasskeyMatch,
  type RelyingParty,
} from './passkeys.ts';
import { isRecoveryCode, useRecoveryCode } from './recovery-codes.ts';
import { matchTotp, useTotp, type TotpMatch } from './totp.ts';

/** What judging answers needs. */
export type AnswerDeps = HoldDeps & {
  readonly secrets: Pick<Secrets, 'linkKey' | 'sealKey'>;
  readonly site: RelyingParty;
};

/** A question for one of somebody's factors. */
export interface FactorQuestion extends Pick<Challenge, 'id' | 'expiresAt'> {
  /** What can answer; nothing for somebody who has set up none. */
  readonly factors: FactorKind[];
  /** What a browser needs to ask a passkey; null where none can answer. */
  readonly passkey: Asked['options'] | null;
}

/** Asks a person for one of their factors. */
export async function askForFactor(
  deps: AnswerDeps,
  asked: Pick<NewChallenge, 'purpose' | 'sessionId' | 'forOperator'> & { readonly personId: string },
): Promise<FactorQuestion> {
  const factors = [...(await kindsOf(deps, asked.personId))];
  const passkey = factors.includes('PASSKEY') ? await askForPasskey(deps, deps.site, asked.personId) : null;
  const { id, expiresAt } = await openChallenge(deps, { ...asked, webauthn: passkey?.webauthn ?? null });
  return { id, expiresAt, factors, passkey: passkey?.options ?? null };
}

/** An answer: a code of an authenticator app or for recovery, or what a passkey signed. */
export interface Answer {
  readonly code?: string | null;
  readonly passkey?: unknown;
}

/** A right answer: whose it is, and which kind of factor has given it. */
export interface Answered {
  readonly personId: string;
  readonly factor: FactorKind;
}

type Match =
  | ({ readonly kind: 'TOTP' } & TotpMatch)
  | ({ readonly kind: 'PASSKEY' } & PasskeyMatch)
  | { readonly kind: 'RECOVERY_CODE'; readonly code: string };

/** Whom an answer to a challenge would show; null if nobody. Nothing is proved by it: it says whose tries count. */
export async function claimantOf(deps: AnswerDeps, { personId }: Challenge, answer: Answer): Promise<string | null> {
  return personId ?? (await findPasskey(deps, answer.passkey))?.personId ?? null;
}

/**
 * Judges an answer to a challenge, and uses both up if it is right; null for a wrong one. Errors: 2004, and 1009 for a
 * mailed code that was right, where a factor of their own is asked for after it.
 */
export async function acceptAnswer(deps: AnswerDeps, challenge: Challenge, answer: Answer): Promise<Answered | null> {
  if (challenge.purpose === 'MAIL_SIGN_IN' && !challenge.isMailShown) {
    const shown = await acceptMailedCode(deps, challenge, answer.code ?? '');
    return shown && { ...shown, factor: 'MAIL_CODE' };
  }
  const claimant = await claimantOf(deps, challenge, answer);
  const match = claimant === null ? null : await matchAnswer(deps, claimant, challenge.webauthn, answer);
  if (claimant === null || match === null) return null;
  return inTransaction(deps, async (em) => {
    const now = deps.clock.now();
    if (!(await use(deps, em, { personId: claimant, match }, now))) return null;
    await closeChallenge(em, challenge.id, now);
    return { personId: claimant, factor: match.kind };
  });
}

/** Judges a code that comes with the password, and uses it up; null for a wrong one. */
export async function acceptCode(deps: AnswerDeps, personId: string, code: string): Promise<Answered | null> {
  const match = await matchAnswer(deps, personId, null, { code });
  if (match === null) return null;
  const used = await inTransaction(deps, (em) => use(deps, em, { personId, match }, deps.clock.now()));
  return used ? { personId, factor: match.kind } : null;
}

async function matchAnswer(
  deps: AnswerDeps,
  personId: string,
  webauthn: string | null,
  { code = null, passkey = null }: Answer,
): Promise<Match | null> {
  if (code !== null) {
    if (isRecoveryCode(code)) return { kind: 'RECOVERY_CODE', code };
    const totp = /^\d{6}$/.test(code) ? await matchTotp(deps, personId, code) : null;
    return totp && { kind: 'TOTP', ...totp };
  }
  if (passkey === null || webauthn === null) return null;
  const match = await matchPasskey(deps, deps.site, { webauthn, answer: passkey });
  return match?.personId === personId ? { kind: 'PASSKEY', ...match } : null;
}

/**
 * Uses up what was shown; false if it was used before. Recovering by a code holds the person. They are told of that,
 * and of a passkey whose counter went back.
 */
async function use(
  deps: AnswerDeps,
  em: EntityManager,
  { personId, match }: { readonly personId: string; readonly match: Match },
  now: Date,
): Promise<boolean> {
  if (match.kind === 'TOTP') return useTotp(em, match, now);
  if (match.kind === 'PASSKEY') {
    const isUsed = await usePasskey(em, match, now);
    if (!isUsed) await tellFactors(em, deps, personId, now);
    return isUsed;
  }
  if (!(await useRecoveryCode(em, personId, { code: match.code, now }))) return false;
  await hold(em, deps, personId, now);
  await tellFactors(em, deps, personId, now);
  return true;
}
