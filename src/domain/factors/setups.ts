// Setting up a second factor: it is shown once that it works before it counts.

import { GatewayError, invalid } from '../../values/errors.ts';
import { seal, unseal } from '../../values/secrets/sealed.ts';
import { inTransaction } from '../deps.ts';
import type { SelfActor } from '../actor.ts';
import type { AnswerDeps } from './answers.ts';
import { closeChallenge, newChallengeId, openChallenge, takeTry, type Challenge } from './challenges.ts';
import { addFactor, newFactorId, type Factor } from './factors.ts';
import { askForNewPasskey, readNewPasskey, type Asked } from './passkeys.ts';
import { newTotpSecret, stepOf, type NewSecret } from './totp.ts';

/** Somebody who sets up a factor, in their session. */
export type SettingUp = SelfActor & { readonly sessionId: string };

/** Begins to set up an authenticator app. */
export async function startTotp(
  deps: AnswerDeps,
  { personId, sessionId }: SettingUp,
  email: string,
): Promise<NewSecret & { readonly id: string }> {
  const made = newTotpSecret(email);
  const id = newChallengeId(deps);
  const sealedSecret = seal(deps.secrets.sealKey, made.secret, id);
  await openChallenge(deps, { purpose: 'TOTP_SETUP', personId, sessionId, sealedSecret, id });
  return { id, ...made };
}

/** What ends the set-up of an authenticator app. */
export interface TotpAnswer {
  readonly id: string;
  readonly code: string;
  readonly label: string;
}

/** Adds an authenticator app that shows the right code. Errors: 2004, 2001 at `code` or for an eleventh factor. */
export async function finishTotp(deps: AnswerDeps, actor: SettingUp, { id, code, label }: TotpAnswer): Promise<Factor> {
  const challenge = await takeTry(deps, id, { purposes: ['TOTP_SETUP'], sessionId: actor.sessionId });
  const { sealKey } = deps.secrets;
  const secret = challenge.sealedSecret && unseal(sealKey, challenge.sealedSecret, id);
  if (secret === null) throw new GatewayError('NOT_FOUND');
  const now = deps.clock.now();
  const lastStep = stepOf(secret, code, now);
  if (lastStep === null) throw invalid([{ path: 'code', message: 'is not what the app shows now' }]);
  const factorId = newFactorId(now);
  const parts = { kind: 'TOTP', sealedSecret: seal(sealKey, secret, factorId), lastStep } as const;
  return inTransaction(deps, async (em) => {
    await closeChallenge(em, id, now);
    return addFactor(em, deps, actor, { id: factorId, label, parts }, now);
  });
}

/** Begins to set up a passkey. */
export async function startPasskey(
  deps: AnswerDeps,
  { personId, sessionId }: SettingUp,
  email: string,
): Promise<{ readonly challenge: Challenge; readonly asked: Asked }> {
  const asked = await askForNewPasskey(deps, deps.site, { personId, email });
  const { webauthn } = asked;
  return { challenge: await openChallenge(deps, { purpose: 'PASSKEY_SETUP', personId, sessionId, webauthn }), asked };
}

/** What ends the set-up of a passkey: the browser's answer. */
export interface PasskeyAnswer {
  readonly id: string;
  readonly passkey: unknown;
  readonly label: string;
}

/** Adds a passkey that a browser has made. Errors: 2004, 2001 at `input.passkey` or for an eleventh factor. */
export async function finishPasskey(
  deps: AnswerDeps,
  actor: SettingUp,
  { id, passkey, label }: PasskeyAnswer,
): Promise<Factor> {
  const { webauthn } = await takeTry(deps, id, { purposes: ['PASSKEY_SETUP'], sessionId: actor.sessionId });
  const made = webauthn === null ? null : await readNewPasskey(deps.site, webauthn, passkey);
  if (!made) throw invalid([{ path: 'input.passkey', message: 'is not a right answer to this challenge' }]);
  const now = deps.clock.now();
  return inTransaction(deps, async (em) => {
    await closeChallenge(em, id, now);
    return addFactor(em, deps, actor, { id: newFactorId(now), label, parts: { kind: 'PASSKEY', ...made } }, now);
  });
}
