// The filters of a list, which are the parameters of the page's URL.

import { useCallback } from 'react';
import { useSearchParams } from 'wouter';

export interface Choices {
  readonly parameters: URLSearchParams;
  /** Sets a filter; an empty value removes it. */
  readonly choose: (name: string, value: string) => void;
  /** Removes filters. */
  readonly clear: (names: readonly string[]) => void;
}

export function useChoices(): Choices {
  const [parameters, setParameters] = useSearchParams();
  const change = useCallback(
    (work: (next: URLSearchParams) => void) =>
      setParameters(
        (now) => {
          const next = new URLSearchParams(now);
          work(next);
          return next;
        },
        { replace: true },
      ),
    [setParameters],
  );
  const choose = useCallback(
    (name: string, value: string) =>
      change((next) => {
        if (value === '') next.delete(name);
        else next.set(name, value);
      }),
    [change],
  );
  const clear = useCallback(
    (names: readonly string[]) =>
      change((next) => {
        for (const name of names) next.delete(name);
      }),
    [change],
  );
  return { parameters, choose, clear };
}
