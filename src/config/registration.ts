// Reads who may register merchants. The sandbox is open; live does not start before the operator has decided.

import type { Reader } from './reader.ts';

const MODES = ['open', 'invite', 'closed'] as const;
export type RegistrationMode = (typeof MODES)[number];

/** `REGISTRATION`. With `isRequired` it is a fault if not set. */
export function readRegistration(read: Reader, isRequired: boolean): RegistrationMode {
  if (isRequired && read.optional('REGISTRATION') === null)
    read.fault('REGISTRATION', 'is required in live: open, invite or closed');
  return read.oneOf('REGISTRATION', MODES, 'open');
}
