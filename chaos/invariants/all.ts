// All invariants, in the order in which they are checked and printed.

import type { Rule } from './invariant.ts';
import { ATTEMPT_INVARIANTS } from './attempts.ts';
import { EVENT_INVARIANTS } from './events.ts';
import { MONEY_INVARIANTS } from './money.ts';
import { CLIENT_INVARIANTS } from './client.ts';
import { INVOICE_INVARIANTS } from './invoices.ts';

export const INVARIANTS: readonly Rule[] = [
  ...CLIENT_INVARIANTS,
  ...EVENT_INVARIANTS,
  ...ATTEMPT_INVARIANTS,
  ...INVOICE_INVARIANTS,
  ...MONEY_INVARIANTS,
];
