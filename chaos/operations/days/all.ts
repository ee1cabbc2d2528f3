// All bad days, in the order in which they are rehearsed and listed.

import type { BadDay } from '../bad-day.ts';
import { DATABASE_DAYS } from './database-days.ts';
import { FROZEN_PROCESSES } from './frozen-processes.ts';
import { SIGNER_DAYS } from './signer-days.ts';
import { STANDBY_DAYS } from './database-days.ts';

export const BAD_DAYS: readonly BadDay[] = [...DATABASE_DAYS, ...FROZEN_PROCESSES, ...SIGNER_DAYS, ...STANDBY_DAYS];
