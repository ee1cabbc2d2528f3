// What the pages by which people sign in at a provider of identities show, and who answers it: the paths
// /auth/oidc/start and /auth/oidc/callback.

import type { ErrorName } from '../values/errors.ts';
import type { ProviderFailure } from '../values/identity-provider.ts';
import type { OperationContext } from './caller.ts';

/** A question for a factor, as JSON that the console goes on with. */
export interface AskedFactor {
  readonly id: string;
  readonly factors: readonly string[];
  readonly passkey: Readonly<Record<string, unknown>> | null;
}

/** Why nothing came of a visit: what the provider said, who came, or an error of the table. */
export type VisitRefusal =
  | { readonly kind: 'refused'; readonly why: ProviderFailure['kind'] | 'unknown' | 'foreign' | 'has-account' }
  | { readonly kind: 'failed'; readonly error: ErrorName; readonly message: string };

/** What came of a visit. `asked`: the first step of a sign-in, and its factor is asked for next. */
export type VisitOutcome =
  | { readonly kind: 'signed-in' | 'linked' | 'confirmed' }
  | { readonly kind: 'asked'; readonly question: AskedFactor }
  | (VisitRefusal & { readonly isConfirmation: boolean });

/** The way to the provider and back. Unexpected errors reject; those of the table may. */
export interface ProviderPages {
  /** What people know the provider by. */
  readonly name: string;
  /**
   * Where the browser goes: to sign in, or for what a challenge is for. Keeps the secret of the visit in a cookie.
   * Errors: 1002, 2004, 9001.
   */
  start(
    context: OperationContext,
    challengeId: string | null,
  ): Promise<{ readonly url: string } | { readonly refusal: ProviderFailure['kind'] }>;
  /** Ends a visit with the query that the browser came back with. Errors: 2004, 9001. */
  finish(context: OperationContext, query: string): Promise<VisitOutcome>;
}
