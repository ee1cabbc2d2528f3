// Who may register: the sandbox is open, and live does not start before its operator has decided.

import type { Reader } from './reader.ts';

const MODES = ['open', 'invite', 'closed'] as const;
export type RegistrationMode = (typeof MODES)[number];

/** `REGISTRATION`. `isRequired`: without it there is a fault. */
export function readRegistration(read: Reader, isRequired: boolean): RegistrationMode {
  if (isRequired && read.optional('REGISTRATION') === null)
    read.fault('REGISTRATION', 'is required in live: open, invite or closed');
  return read.oneOf('REGISTRATION', MODES, 'open');
}
