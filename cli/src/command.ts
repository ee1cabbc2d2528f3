// What a command is, and what it is given.

import { parseArgs } from 'node:util';
import { Turnpike } from '#sdk';
import { usage } from './failure.ts';
import { readProfile, type Profile, type ProfileName } from './profile/profiles.ts';
import type { Terminal } from './terminal.ts';

/** An option as it is typed: `--name` or `--name VALUE`. */
export interface Option {
  /** What stands for its value in the help; none for a switch. */
  readonly value?: string;
  readonly help: string;
  /** May be given more than once. */
  readonly isList?: boolean;
}

/** A command of the table in commands.ts. */
export interface Command {
  /** Its words: `payments create`. */
  readonly name: string;
  /** What follows its words: `ID`, `[ID]`; empty for nothing. */
  readonly operands?: string;
  /** Values that the first operand may have, for completion. */
  readonly choices?: readonly string[];
  readonly summary: string;
  /** Further lines of its help. */
  readonly details?: string;
  readonly options: Readonly<Record<string, Option>>;
  /** Goes on until it is ended, which is then no failure. */
  readonly isEndless?: boolean;
  run(context: Context): Promise<void>;
}

/** Options that every command takes. */
export const GLOBAL_OPTIONS = {
  json: { help: 'print JSON, one document a line; errors too' },
  live: { help: 'use the live profile: real money' },
  help: { help: 'show this' },
} as const satisfies Record<string, Option>;

type Values = Readonly<Record<string, string | boolean | readonly (string | boolean)[] | undefined>>;

/** What a command is run with. */
export interface Context {
  readonly terminal: Terminal;
  readonly profileName: ProfileName;
  /** Ends the command: Ctrl-C, or a signal. */
  readonly signal: AbortSignal;
  readonly operands: readonly string[];
  /** An option's value. */
  text(name: string): string | undefined;
  /** All values of an option that may be repeated, or hold several between commas. */
  texts(name: string): string[];
  /** A whole number of at least 0. */
  count(name: string): number | undefined;
  isOn(name: string): boolean;
  /** The only operand; throws if there is none. */
  operand(): string;
  profile(): Promise<Profile>;
  client(): Promise<Turnpike>;
}

/** Reads what follows a command's words. Throws a Failure that says what is wrong with it. */
export function readContext(
  command: Command,
  args: readonly string[],
  given: Pick<Context, 'terminal' | 'signal'>,
): Context {
  const { values, positionals } = parse(command, args);
  const text = (name: string): string | undefined => {
    const value = values[name];
    return typeof value === 'string' ? value : undefined;
  };
  const most = command.operands ? 1 : 0;
  if (positionals.length > most) throw usage(`"${positionals[most] ?? ''}" is one word too many`);
  const profileName = values['live'] === true ? 'live' : 'sandbox';
  const profile = (): Promise<Profile> => readProfile(profileName);
  return {
    ...given,
    ...{ profileName, text, profile, operands: positionals },
    texts: (name) => [values[name] ?? []].flat().flatMap((one) => String(one).split(',').filter(Boolean)),
    count: (name) => readCount(name, text(name)),
    isOn: (name) => values[name] === true,
    operand: () => {
      const [only] = positionals;
      if (!only) throw usage(`${command.name} needs ${command.operands ?? ''}`);
      return only;
    },
    client: async () => clientOf(await profile()),
  };
}

/** A client with a profile's key. */
export const clientOf = ({ baseUrl, keyId, secret }: Profile): Turnpike =>
  new Turnpike({ baseUrl, apiKey: keyId, apiSecret: secret });

function parse(command: Command, args: readonly string[]): { values: Values; positionals: string[] } {
  const known: [string, Option][] = Object.entries({ ...GLOBAL_OPTIONS, ...command.options });
  const options = Object.fromEntries(
    known.map(([name, { value, isList }]) => {
      const type: 'string' | 'boolean' = value === undefined ? 'boolean' : 'string';
      return [name, { type, multiple: isList ?? false }];
    }),
  );
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
  } catch (error) {
    throw usage(`${error instanceof Error ? error.message : String(error)}`);
  }
}

function readCount(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,15}$/.test(text)) throw usage(`--${name} takes a whole number`);
  return Number(text);
}
