// Every command there is, in the order of the help.

import type { Command } from './command.ts';
import { completionOf } from './commands/completion.ts';
import { EVENT_COMMANDS } from './commands/events.ts';
import { listen } from './commands/listen.ts';
import { login, logout } from './commands/login.ts';
import { logs } from './commands/logs.ts';
import { open } from './commands/open.ts';
import { PAYMENT_COMMANDS } from './commands/payments.ts';
import { trigger } from './commands/trigger.ts';

/** The table of commands. */
export const COMMANDS: readonly Command[] = [
  ...[login, logout, ...PAYMENT_COMMANDS, listen, trigger, ...EVENT_COMMANDS, logs, open],
  completionOf(() => COMMANDS),
];
