// Every rule that a run is held against, in the order in which they are told.

import type { Rule } from './rule.ts';
import { ATTEMPT_RULES } from './rules-of-attempts.ts';
import { EVENT_RULES } from './rules-of-events.ts';
import { MONEY_RULES } from './rules-of-money.ts';
import { CLIENT_RULES } from './rules-of-the-client.ts';

export const RULES: readonly Rule[] = [...CLIENT_RULES, ...EVENT_RULES, ...ATTEMPT_RULES, ...MONEY_RULES];
