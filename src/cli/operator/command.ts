// The interface of npm run operator's commands, and helpers to print tables, amounts, ages and JSON.

import type { Config } from '../../config/config.ts';
import type { Operator } from '../../domain/operator/log.ts';
import { formatAmount } from '../../values/amount.ts';
import { assetOf } from '../../values/assets.ts';

/** Options of all commands, with their types. */
export const OPTIONS = {
  all: { type: 'boolean' },
  json: { type: 'boolean' },
  network: { type: 'string' },
  currency: { type: 'string' },
  payout: { type: 'string' },
  merchant: { type: 'string' },
  amount: { type: 'string' },
  reason: { type: 'string' },
  search: { type: 'string' },
  by: { type: 'string' },
  from: { type: 'string' },
} as const;

export type Option = keyof typeof OPTIONS;

/** Parsed command-line arguments. */
export interface Arguments {
  /** Positional arguments after the command. */
  readonly names: readonly string[];
  /** An option; null if not given. */
  text(option: Option): string | null;
  flag(option: Option): boolean;
}

export interface CommandContext {
  readonly operator: Operator;
  readonly config: Config;
  say(line: string): void;
}

export interface Command {
  /** Its arguments and what it does, as the usage shows them, line by line. */
  readonly usage: readonly string[];
  /** How many positional arguments it takes. */
  readonly names: number;
  /** Required options. */
  readonly required?: readonly Option[];
  /** Optional options; every command takes `by` as well. */
  readonly optional?: readonly Option[];
  run(context: CommandContext, given: Arguments): Promise<void>;
}

/** An amount with its asset. */
export function showAmount(units: bigint, { currency, network }: { currency: string; network: string }): string {
  return `${formatAmount(units, assetOf({ currency, network }).decimals)} ${currency} on ${network}`;
}

/** Lines of a table, with columns as wide as their widest cell. */
export function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = head.map((name, at) => Math.max(name.length, ...rows.map((row) => row[at]?.length ?? 0)));
  return [head, ...rows].map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

/** How long ago, in the largest unit that makes sense. */
export function showAge(since: Date, now: Date): string {
  const minutes = Math.max(0, Math.floor((now.getTime() - since.getTime()) / 60_000));
  if (minutes < 60) return `${String(minutes)} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${String(hours)} h ${String(minutes % 60)} min` : `${String(Math.floor(hours / 24))} d`;
}

/** JSON for programs; bigints become strings. */
export function toJson(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? part.toString() : part), 2);
}
