// A bad day: what it needs, how it is caused and mended, and what callers may see of it.

import type { Notes } from '../load/client-log.ts';
import type { LoadParts } from '../load/scenario.ts';
import type { Deployment } from './deployment.ts';
import type { Setting } from './setting.ts';

export interface Scene {
  readonly deployment: Deployment;
  readonly parts: LoadParts;
  /** Everything that was noted; a merchant that is added is judged like the others. */
  readonly notes: Notes;
  /** Whether this is the short run. */
  readonly short: boolean;
  /** Reports a figure of this day; it is printed and kept with the result. */
  note(words: string): void;
}

/** A fault under way. */
export interface Fault {
  /** What an operator does to end it; how long it takes until all is right is measured from its end. */
  mend(): Promise<unknown>;
  /** Resolves when what this day left behind is done, if there is more than a story shows. */
  untilDone?(): Promise<void>;
}

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
