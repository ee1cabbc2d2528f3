// The filters of a list, which are the parameters of the page's URL.

import { useCallback } from 'react';
import { useSearchParams } from 'wouter';

export interface Choices {
  readonly parameters: URLSearchParams;
  /** Sets a filter; an empty value removes it. */
  readonly choose: (name: string, value: string) => void;
}

export function useChoices(): Choices {
  const [parameters, setParameters] = useSearchParams();
  const choose = useCallback(
    (name: string, value: string) =>
      setParameters(
        (now) => {
          const next = new URLSearchParams(now);
          if (value === '') next.delete(name);
          else next.set(name, value);
          return next;
        },
        { replace: true },
      ),
    [setParameters],
  );
  return { parameters, choose };
}
