// A bad day: what it needs, how it is caused and mended, and what callers may see of it.

import type { ChaosDatabase } from '../processes/database.ts';
import type { LoadParts } from '../load/scenario.ts';
import type { Deployment, Ground, ProcessName } from './deployment.ts';

export interface Scene {
  readonly deployment: Deployment;
  readonly parts: LoadParts;
  /** Whether this is the short run. */
  readonly short: boolean;
  /** Reports a figure of this day; it is printed and kept with the result. */
  note(words: string): void;
}

/** A fault under way. */
export interface Fault {
  /** What an operator does to end it; how long it takes until all is right is measured from its end. */
  mend(): Promise<unknown>;
}

/** What a deployment has besides the usual, for days that need it. */
export interface Setting<Tools> {
  /** What this machine lacks for it; null if it can be had here. */
  missing?(): Promise<string | null> | string | null;
  /** Called before anything else starts. */
  prepare(ground: Ground): Promise<Prepared<Tools>> | Prepared<Tools>;
}

export interface Prepared<Tools> {
  readonly tools: Tools;
  /** Further variables of a process. */
  variablesOf?(name: ProcessName): Readonly<Record<string, string>>;
  /** Called once the database has started, before the processes do; servers that it starts end with the others. */
  arrange?(database: ChaosDatabase, startServer: (dataDir: string) => Promise<ChaosDatabase>): Promise<void>;
}

/** A deployment without anything besides. */
export const USUAL: Setting<null> = { prepare: () => ({ tools: null }) };

export interface BadDay<Tools = unknown> {
  /** On the command line: `--only primary-killed`. */
  readonly name: string;
  /** What happens, as a row of the table begins. */
  readonly title: string;
  /** What an operator does about it, in Markdown. */
  readonly remedy: string;
  /** The alerts that fire if it lasts, by name. */
  readonly alerts: readonly string[];
  /** Days in succession with the same setting share a deployment. */
  readonly setting: Setting<Tools>;
  /** Whether calls may get no answer: the API is stopped itself, or the day breaks what only a sandbox has. */
  readonly cutsCalls?: boolean;
  /** How long the fault lasts, in seconds; by default as long as the run says. */
  readonly seconds?: (short: boolean) => number;
  cause(scene: Scene, tools: Tools): Promise<Fault>;
}
