// Asks somebody to show that it is still them: by a factor or, where there is none, by their password, or by the
// provider where there is nothing else.

import { useCallback, useEffect, useState, type ReactNode } from 'react';
import { useMutation } from 'urql';
import { errorCodeOf } from '../../client.ts';
import { messageOf } from '../../errors.ts';
import {
  ConfirmDocument,
  StartConfirmationDocument,
  type AnswerInput,
  type ChallengeFragment,
} from '../../generated/operations.ts';
import { Loading } from '../states.tsx';
import { answerTo, FactorFields, PasskeyNotUsed } from './factor-fields.tsx';
import { Field } from './field.tsx';
import { wholeTextOf } from './operation-form.tsx';
import { ProviderProof } from './provider-proof.tsx';

interface Confirmation {
  /** The fields to put into the form; nothing if no confirmation is needed. */
  readonly fields: ReactNode;
  /** Confirms with what the form holds; resolves to what was wrong, null if nothing was. */
  readonly confirm: (data: FormData) => Promise<string | null>;
}

/** A confirmation inside a form. */
export function useConfirmation(isNeeded: boolean): Confirmation {
  const [{ data, error }, start] = useMutation(StartConfirmationDocument);
  const [, send] = useMutation(ConfirmDocument);
  const [attempt, setAttempt] = useState(0);
  const [isVouched, setVouched] = useState(false);
  const vouched = useCallback(() => setVouched(true), []);
  useEffect(() => {
    if (isNeeded) void start({});
  }, [isNeeded, start, attempt]);
  const challenge = data?.startConfirmation;
  if (!isNeeded) return { fields: null, confirm: () => Promise.resolve(null) };
  const hasFactor = challenge !== undefined && challenge.factors.length > 0;
  const startPath = challenge?.startPath ?? null;

  const confirm = async (form: FormData): Promise<string | null> => {
    if (!challenge) {
      // What kept it from being asked may have passed by now.
      if (error) setAttempt((before) => before + 1);
      return error ? messageOf(error) : 'One moment, please.';
    }
    if (startPath !== null && !isVouched) return 'Sign in there first.';
    try {
      const input = startPath === null ? await typed(challenge, form) : { challengeId: challenge.id };
      const refused = (await send({ input })).error;
      const code = errorCodeOf(refused);
      if (code === '2004') {
        setAttempt((before) => before + 1);
        setVouched(false);
      }
      if (code === '2004') return 'That took too long, or too many tries. Please try again.';
      if (code === '1005') return hasFactor ? 'That is wrong, or was used before.' : 'That is not your password.';
      return refused ? messageOf(refused) : null;
    } catch (problem) {
      if (problem instanceof PasskeyNotUsed) return 'Your passkey was not used. Please try again.';
      throw problem;
    }
  };
  const proof = startPath !== null && { startPath, isShown: isVouched, onShown: vouched };
  const fields = (
    <Late>
      {(takesFocus) =>
        proof ? (
          <ProviderProof {...proof} takesFocus={takesFocus} />
        ) : (
          <Fields factors={challenge?.factors ?? []} takesFocus={takesFocus} />
        )
      }
    </Late>
  );
  return { fields: challenge || error ? fields : <Loading />, confirm };
}

/** What was typed, or a passkey: by a factor or, where there is none, by the password. Throws `PasskeyNotUsed`. */
const typed = async (challenge: ChallengeFragment, form: FormData): Promise<AnswerInput> =>
  challenge.factors.length > 0 ? answerTo(challenge, form) : { password: wholeTextOf(form, 'password') };

/**
 * What is asked for comes late: by then somebody may be writing into another field of the form, and what they write
 * next must not go into a password. `takesFocus` is false then.
 */
function Late({ children }: { readonly children: (takesFocus: boolean) => ReactNode }): ReactNode {
  const [takesFocus] = useState(() => document.activeElement?.matches('input, textarea, select') !== true);
  return children(takesFocus);
}

function Fields({ factors, takesFocus }: Required<Parameters<typeof FactorFields>[0]>): ReactNode {
  if (factors.length > 0) return <FactorFields factors={factors} takesFocus={takesFocus} />;
  return (
    <Field
      label="Your password"
      name="password"
      type="password"
      autoComplete="current-password"
      isRequired
      autoFocus={takesFocus}
    />
  );
}
