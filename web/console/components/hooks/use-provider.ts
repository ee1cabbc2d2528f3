// The name of the provider that people may sign in by.

import { useQuery } from 'urql';
import { SignInOptionsDocument } from '../../generated/operations.ts';

/** What the provider is called; null without one, and until it is known. */
export function useProvider(): string | null {
  const [{ data }] = useQuery({ query: SignInOptionsDocument, requestPolicy: 'cache-first' });
  return data?.signInOptions.oidcName ?? null;
}
