// Error messages for the merchant: the gateway's own where there is one.

import type { CombinedError } from 'urql';
import { errorCodeOf } from './client.ts';
import type { MemberPermission } from './generated/operations.ts';

/** Error messages by field name, from the details of a 2001 (`input.email` → `email`). */
export function faultsOf(error: CombinedError | undefined): Record<string, string> {
  if (errorCodeOf(error) === IN_OTHER_CELL) return {};
  return Object.fromEntries(
    detailsOf(error).map(({ path, message }) => [path.replace(/^input\./, ''), capital(message)]),
  );
}

const IN_OTHER_CELL = '9421';

/** The base URL of the cell that an account is in, where it is not in this one. */
export const otherCellOf = (error: CombinedError | undefined): string | null => {
  const url = errorCodeOf(error) === IN_OTHER_CELL ? detailsOf(error).find(({ path }) => path === 'url') : undefined;
  return url?.message ?? null;
};

const detailsOf = (error: CombinedError | undefined): readonly Fault[] =>
  (error?.graphQLErrors[0]?.extensions as { details?: readonly Fault[] } | undefined)?.details ?? [];

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
  if (errorCodeOf(error) === '1014') return 'The payout policy requires a second factor, which you do not have.';
  if (errorCodeOf(error) === '4007') return overLimit(first?.message ?? '');
  const elsewhere = otherCellOf(error);
  if (elsewhere !== null) return `This address belongs to ${elsewhere}/console`;
  if (isConfirmationAsked(error)) return 'Nothing was changed. This needs your confirmation.';
  const faults = Object.values(faultsOf(error));
  if (faults.length > 0) return faults.join('. ');
  return first?.message ?? 'Something went wrong. Please try again.';
}

/** What the gateway says of a limit, such as `perDay of USDT on ETH is 15 USDT; room: 4 USDT`, in plain words. */
function overLimit(message: string): string {
  const [, asset] = /^listedOnly: (.+) has no limits/.exec(message) ?? [];
  if (asset !== undefined) return `The policy has no limits for ${asset}, so it cannot be paid out.`;
  const [, limit, most = '', room = ''] = /^(perPayout|perDay) of .+ is (.+); room: (.+)$/.exec(message) ?? [];
  if (limit === 'perPayout') return `The policy allows at most ${most} per payout.`;
  if (limit === 'perDay') return `The policy allows ${most} in 24 hours, of which ${room} is left.`;
  return message;
}

/** The page that helps after an error, for those who may see it; null without one. */
export interface Help {
  readonly href: string;
  readonly words: string;
  readonly needs?: MemberPermission;
}

const HELP: Readonly<Record<string, Help>> = {
  1013: { href: '/account', words: 'See why in your account' },
  1014: { href: '/account', words: 'Set one up in your account' },
  4006: { href: '/wallet/addresses', words: 'Open the address book', needs: 'READ_WALLET' },
  4007: { href: '/wallet/policy', words: 'Open the policy', needs: 'READ_WALLET' },
  4010: { href: '/people', words: 'See who may approve', needs: 'MANAGE_PEOPLE' },
};

export const helpFor = (error: CombinedError): Help | null => HELP[errorCodeOf(error) ?? ''] ?? null;
