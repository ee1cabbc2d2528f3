// Reads who may register merchants, and who reads the sandbox's mails. The sandbox is open; live does not start before
// the operator has decided.

import type { Reader } from './reader.ts';

const MODES = ['open', 'invite', 'closed'] as const;
export type RegistrationMode = (typeof MODES)[number];

/** Addresses that only programs of the same machine reach. */
const LOOPBACK = new Set(['localhost', '127.0.0.1', '::1']);

export interface PeopleConfig {
  /** Who may register a merchant: anyone (`open`), those whom an operator invited, or nobody: operators add them. */
  readonly registration: RegistrationMode;
  /** Whether the sandbox shows the mails that it wrote; false in live, and where they are sent. */
  readonly hasMailbox: boolean;
}

/**
 * `REGISTRATION`; with `isRequired` it is a fault if not set. `SANDBOX_MAILBOX`: by default open to the sandbox's own
 * machine alone.
 */
export function readPeople(
  read: Reader,
  { live, isRequired }: { readonly live: boolean; readonly isRequired: boolean },
): PeopleConfig {
  if (isRequired && read.optional('REGISTRATION') === null)
    read.fault('REGISTRATION', 'is required in live: open, invite or closed');
  if (live && read.optional('SANDBOX_MAILBOX') !== null) read.fault('SANDBOX_MAILBOX', 'is for the sandbox alone');
  const isLocal = LOOPBACK.has(read.text('HOST', 'localhost'));
  const mailbox = read.oneOf('SANDBOX_MAILBOX', ['open', 'closed'], isLocal ? 'open' : 'closed');
  const isShown = !live && mailbox === 'open' && read.optional('SMTP_URL') === null;
  return { registration: read.oneOf('REGISTRATION', MODES, 'open'), hasMailbox: isShown };
}
