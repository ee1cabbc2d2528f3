// Error messages for the merchant: the gateway's own where there is one.

import type { CombinedError } from 'urql';
import { errorCodeOf } from './client.ts';

/** Error messages by field name, from the details of a 2001 (`input.email` → `email`). */
export function faultsOf(error: CombinedError | undefined): Record<string, string> {
  const details = (error?.graphQLErrors[0]?.extensions as { details?: readonly Fault[] } | undefined)?.details ?? [];
  return Object.fromEntries(details.map(({ path, message }) => [path.replace(/^input\./, ''), capital(message)]));
}

interface Fault {
  readonly path: string;
  readonly message: string;
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** Whether an operation was refused because the session must be confirmed first. */
export const isConfirmationAsked = (error: CombinedError | undefined): boolean => errorCodeOf(error) === '1010';

/** The message to show for a failed operation. */
export function messageOf(error: CombinedError): string {
  if (error.networkError && error.graphQLErrors.length === 0)
    return 'The gateway cannot be reached. Please try again in a moment.';
  const [first] = error.graphQLErrors;
  if (errorCodeOf(error) === '1005') return 'E-mail or password is wrong.';
  if (errorCodeOf(error) === '9001') return 'Too many attempts. Please wait a while and try again.';
  if (errorCodeOf(error) === '1011') return 'Registration is closed. Ask the operator of this gateway for an account.';
  if (isConfirmationAsked(error)) return 'Nothing was changed. This needs your confirmation.';
  const faults = Object.values(faultsOf(error));
  if (faults.length > 0) return faults.join('. ');
  return first?.message ?? 'Something went wrong. Please try again.';
}
