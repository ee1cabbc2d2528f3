// Asks for one of somebody's factors: a code to type, or a passkey, which the browser asks for.

import { browserSupportsWebAuthn, startAuthentication } from '@simplewebauthn/browser';
import type { PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/browser';
import type { ReactNode } from 'react';
import type { AnswerInput, ChallengeFragment } from '../../generated/operations.ts';
import { Field } from './field.tsx';
import { textOf } from './operation-form.tsx';

/** Whether this browser, on this address, can use passkeys. */
export const hasPasskeys = browserSupportsWebAuthn();

/** Thrown if the browser, or its user, did not use a passkey. */
export class PasskeyNotUsed extends Error {}

/** Answers a challenge with what was typed or, if nothing was, with a passkey. Throws `PasskeyNotUsed`. */
export async function answerTo({ id, passkey }: ChallengeFragment, data: FormData): Promise<AnswerInput> {
  const code = textOf(data, 'code');
  if (code !== '' || passkey === null || passkey === undefined) return { challengeId: id, code };
  return { challengeId: id, passkey: await usePasskeyOf(passkey) };
}

/** Has the browser use a passkey. Throws `PasskeyNotUsed`. */
export async function usePasskeyOf(options: Record<string, unknown>): Promise<Record<string, unknown>> {
  try {
    const optionsJSON = options as unknown as PublicKeyCredentialRequestOptionsJSON;
    return { ...(await startAuthentication({ optionsJSON })) };
  } catch (error) {
    throw new PasskeyNotUsed('The passkey was not used', { cause: error });
  }
}

interface FactorFieldsProps extends Pick<ChallengeFragment, 'factors'> {
  readonly takesFocus?: boolean;
}

/** The fields of a challenge. */
export function FactorFields({ factors, takesFocus = true }: FactorFieldsProps): ReactNode {
  const [hasApp, hasCodes] = [factors.includes('TOTP'), factors.includes('RECOVERY_CODE')];
  const mayUsePasskey = factors.includes('PASSKEY') && hasPasskeys;
  const isMailed = factors.includes('MAIL_CODE');
  const label = isMailed ? 'Code from your mail' : hasApp ? 'Code from your authenticator app' : 'Recovery code';
  const hint = [
    ...(mayUsePasskey ? ['Leave it empty to use your passkey.'] : []),
    ...(isMailed ? ['We mailed it to your address, if the password was right. It works for five minutes.'] : []),
    ...(hasApp && hasCodes ? ['If you have lost your phone, a recovery code.'] : []),
  ].join(' ');
  return (
    <>
      {!hasApp && mayUsePasskey && <p>Your browser asks for your passkey.</p>}
      {(hasApp || hasCodes || isMailed) && (
        <Field
          label={label}
          name="code"
          inputMode={isMailed || (hasApp && !hasCodes) ? 'numeric' : 'text'}
          autoComplete="one-time-code"
          {...(hint !== '' && { hint })}
          isRequired={!mayUsePasskey}
          autoFocus={takesFocus}
        />
      )}
    </>
  );
}
