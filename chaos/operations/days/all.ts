// All bad days, in the order in which they are rehearsed and listed.

import type { BadDay } from '../bad-day.ts';
import { BACKLOG_DAYS } from './backlog.ts';
import { DATABASE_DAYS, STANDBY_DAYS } from './database-days.ts';
import { DISK_DAYS } from './disk-full.ts';
import { FROZEN_PROCESSES } from './frozen-processes.ts';
import { CLOCK_DAYS, NAME_DAYS, REDIS_DAYS } from './neighbour-days.ts';
import { LYING_NODE_DAYS, NODE_DAYS } from './node-days.ts';
import { SIGNER_DAYS } from './signer-days.ts';

export const BAD_DAYS: readonly BadDay[] = [
  ...DATABASE_DAYS,
  ...FROZEN_PROCESSES,
  ...NODE_DAYS,
  ...SIGNER_DAYS,
  ...BACKLOG_DAYS,
  ...STANDBY_DAYS,
  ...DISK_DAYS,
  ...LYING_NODE_DAYS,
  ...REDIS_DAYS,
  ...NAME_DAYS,
  ...CLOCK_DAYS,
];
