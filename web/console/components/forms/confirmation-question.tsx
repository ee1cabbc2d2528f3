// Asks for a confirmation when the gateway requires it, for changes of keys, webhooks, people and factors, and then
// repeats the refused call. It is asked for once in five minutes; dialogs that move money ask for it themselves.

import { createContext, Suspense, useCallback, useContext, useRef, useState, type ReactNode } from 'react';
import { useMutation, type CombinedError, type OperationResult, type TypedDocumentNode } from 'urql';
import { isConfirmationAsked } from '../../errors.ts';
import { page, PageBoundary } from '../frame/page-boundary.tsx';

/** Most who look at the console are never asked. */
const Confirm = page(() => import('../overlays/confirm.tsx').then((part) => ({ default: part.Confirm })));

/** Asks for a confirmation; resolves to whether it was given. */
type Ask = () => Promise<boolean>;

const AskContext = createContext<Ask>(() => Promise.resolve(false));

/** Provides one such dialog for all pages inside it. */
export function ConfirmationQuestion({ children }: { readonly children: ReactNode }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const [wasAsked, setAsked] = useState(false);
  const waiting = useRef<((isShown: boolean) => void)[]>([]);
  const ask = useCallback<Ask>(
    () =>
      new Promise((resolve) => {
        waiting.current.push(resolve);
        setOpen(true);
        setAsked(true);
      }),
    [],
  );
  const end = (isShown: boolean) => {
    setOpen(false);
    for (const resolve of waiting.current.splice(0)) resolve(isShown);
  };
  return (
    <AskContext value={ask}>
      {children}
      {wasAsked && (
        <PageBoundary>
          <Suspense fallback={null}>
            <Confirm
              title="Confirm that it is you"
              action="Confirm"
              needsProof
              isOpen={isOpen}
              onClose={() => end(false)}
              onConfirm={() => {
                end(true);
                return Promise.resolve({});
              }}
            >
              <p>This needs your confirmation. You will not be asked again for five minutes.</p>
            </Confirm>
          </Suspense>
        </PageBoundary>
      )}
    </AskContext>
  );
}

interface MutationState {
  readonly fetching: boolean;
  readonly error?: CombinedError | undefined;
}

/** urql's `useMutation` for mutations that may need a confirmation: asks for it and repeats the refused call. */
export function useConfirmedMutation<Data, Variables extends object>(
  document: TypedDocumentNode<Data, Variables>,
): [MutationState & { readonly data?: Data | undefined }, (variables: Variables) => Promise<OperationResult<Data>>] {
  const [state, run] = useMutation<Data, Variables>(document);
  const ask = useContext(AskContext);
  const execute = useCallback(
    async (variables: Variables) => {
      const outcome = await run(variables);
      return isConfirmationAsked(outcome.error) && (await ask()) ? run(variables) : outcome;
    },
    [run, ask],
  );
  return [state, execute];
}
