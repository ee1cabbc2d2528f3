// What a command of npm run operator is given, and what it prints with.

import type { Config } from '../../config/config.ts';
import type { Operator } from '../../domain/operator/log.ts';
import { formatAmount } from '../../values/amount.ts';
import { assetOf } from '../../values/assets.ts';

/** Options of all commands; those that are `true` take no value. */
export const OPTIONS = {
  all: { type: 'boolean' },
  json: { type: 'boolean' },
  network: { type: 'string' },
  currency: { type: 'string' },
  payout: { type: 'string' },
  merchant: { type: 'string' },
  amount: { type: 'string' },
  reason: { type: 'string' },
  by: { type: 'string' },
} as const;

export type Option = keyof typeof OPTIONS;

/** What was said on the command line. */
export interface Arguments {
  /** What stands without a name. */
  readonly names: readonly string[];
  /** An option, or null where it was not given. */
  text(option: Option): string | null;
  flag(option: Option): boolean;
}

export interface CommandContext {
  readonly operator: Operator;
  readonly config: Config;
  say(line: string): void;
}

export interface Command {
  /** What it takes and what it does, as the usage shows it: one line, or several. */
  readonly usage: readonly string[];
  /** How many names it takes. */
  readonly names: number;
  /** Options that it needs. */
  readonly required?: readonly Option[];
  /** Options that it takes besides; `by` everything takes. */
  readonly optional?: readonly Option[];
  run(context: CommandContext, given: Arguments): Promise<void>;
}

/** An amount with its asset. */
export function showAmount(units: bigint, { currency, network }: { currency: string; network: string }): string {
  return `${formatAmount(units, assetOf({ currency, network }).decimals)} ${currency} on ${network}`;
}

/** Lines of a table, its columns as wide as their widest cell. */
export function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = head.map((name, at) => Math.max(name.length, ...rows.map((row) => row[at]?.length ?? 0)));
  return [head, ...rows].map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

/** How long ago, in the greatest unit that says something. */
export function showAge(since: Date, now: Date): string {
  const minutes = Math.max(0, Math.floor((now.getTime() - since.getTime()) / 60_000));
  if (minutes < 60) return `${String(minutes)} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${String(hours)} h ${String(minutes % 60)} min` : `${String(Math.floor(hours / 24))} d`;
}

/** JSON for programs: amounts of base units as text. */
export function toJson(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? part.toString() : part), 2);
}
