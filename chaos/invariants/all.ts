// Every rule that a run is held against, in the order in which they are told.

import type { Rule } from './invariant.ts';
import { ATTEMPT_RULES } from './attempts.ts';
import { EVENT_RULES } from './events.ts';
import { MONEY_RULES } from './money.ts';
import { CLIENT_RULES } from './client.ts';

export const RULES: readonly Rule[] = [...CLIENT_RULES, ...EVENT_RULES, ...ATTEMPT_RULES, ...MONEY_RULES];
