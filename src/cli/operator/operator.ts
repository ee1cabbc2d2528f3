// npm run operator: the operator's commands, such as freezing payouts; each is in a file of this folder.

import { userInfo } from 'node:os';
import { parseArgs } from 'node:util';
import { readConfig, type Config } from '../../config/config.ts';
import { createDatabaseClock } from '../../database/clock.ts';
import type { Database } from '../../database/connection.ts';
import { readEnvironment } from '../../database/queries/deployment.ts';
import type { Operator } from '../../domain/operator/log.ts';
import { withDatabase } from '../with-database.ts';
import { actions, approve, reject } from './actions.ts';
import { asset } from './asset.ts';
import { erasures, repeat } from './erasures.ts';
import { OPTIONS, type Arguments, type Command, type Option } from './command.ts';
import { fees, withdraw } from './fees.ts';
import { freeze, freezes, unfreeze } from './freezes.ts';
import { health } from './health.ts';
import { invite, merchants, restore, suspend } from './merchants.ts';
import { complete, fail, payouts } from './payouts.ts';
import { grant, reset, revoke } from './people.ts';
import { credit, suspense, writeOff } from './suspense.ts';

const COMMANDS: Readonly<Record<string, Command>> = {
  payouts,
  fail,
  complete,
  freeze,
  unfreeze,
  freezes,
  asset,
  fees,
  'fees withdraw': withdraw,
  suspense,
  'suspense credit': credit,
  'suspense write-off': writeOff,
  health,
  actions,
  approve,
  reject,
  merchants,
  invite,
  suspend,
  restore,
  grant,
  revoke,
  'reset-factors': reset,
  erasures,
  'erase-again': repeat,
};

/** Indentation of a command's description. */
const INDENT = 6;

function usage(): string {
  const commands = Object.values(COMMANDS).map(({ usage: [head = '', ...does] }) =>
    [`  ${head}`, ...does.map((line) => `${' '.repeat(INDENT)}${line}`)].join('\n'),
  );
  return `npm run operator -- COMMAND

${commands.join('\n')}

  --by NAME is who does it, for the operator's log; the system user by default. That guards against mistakes,
  not against who holds the machine: no name is verified.
`;
}

/** Runs the command that the arguments name; false if they name none. */
async function run(args: string[]): Promise<boolean> {
  const { values, positionals } = parseArgs({ args, options: OPTIONS, allowPositionals: true });
  const found = findCommand(positionals);
  const { required = [], optional = [] } = found?.command ?? {};
  const foreign = Object.keys(values).find((name) => ![...required, ...optional, 'by'].includes(name as Option));
  if (!found || found.names.length !== found.command.names || foreign !== undefined) return false;
  const text = (option: Option): string | null => {
    const value = values[option];
    return typeof value === 'string' ? value : null;
  };
  // Report missing options before opening the database.
  const missing = required.find((option) => text(option) === null);
  if (missing !== undefined) throw new Error(`--${missing} is missing; see npm run operator`);
  const given: Arguments = { names: found.names, text, flag: (option) => values[option] === true };
  const config = readConfig();
  await withDatabase(config, async (db) => {
    const operator = await openOperator(config, db, text('by') ?? userName());
    await found.command.run({ operator, config, say: (line) => void process.stdout.write(`${line}\n`) }, given);
  });
  return true;
}

/** The command with the longest matching name, and the positional arguments after it. */
function findCommand(positionals: readonly string[]): { command: Command; names: readonly string[] } | null {
  for (const length of [2, 1]) {
    const name = positionals.slice(0, length).join(' ');
    const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
    if (command) return { command, names: positionals.slice(name.split(' ').length) };
  }
  return null;
}

/**
 * Uses the environment recorded in the database, whatever this program's own environment says, because it decides which
 * events a change causes.
 */
async function openOperator(config: Config, db: Database, name: string): Promise<Operator> {
  if (name.trim() === '') throw new Error('--by needs a name');
  const environment = (await readEnvironment(db.em)) ?? config.environment;
  // Live where either says so: mails of a live gateway without a mail server would leave nowhere.
  const isLive = config.environment === 'live' || environment === 'live';
  const sendsMail = !isLive || config.smtp !== null;
  return {
    deps: { db, clock: await createDatabaseClock(db.em), environment, payUrl: config.payUrl, sendsMail },
    name: name.trim(),
  };
}

/** In a container the user may have a number and no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `user ${String(process.getuid?.() ?? 'unknown')}`;
  }
}

try {
  if (!(await run(process.argv.slice(2)))) {
    process.stderr.write(usage());
    process.exitCode = 2;
  }
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
}
