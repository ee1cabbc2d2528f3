// What a bad day finds: the processes of every deployment, what is there before they start, and what a day adds to it.

import type { Anvil } from '../../src/sandbox/evm/anvil.ts';
import type { MeddlingProxy } from '../../test/support/proxies/meddling-proxy.ts';
import type { ChaosDatabase } from '../processes/database.ts';

export const PROCESSES = ['api 1', 'api 2', 'observer', 'dispatcher', 'signer'] as const;
export type ProcessName = (typeof PROCESSES)[number];

/** What is there before the processes are started. */
export interface Ground {
  /** Removed at the end, with everything in it. */
  readonly folder: string;
  /** Where the database will keep its files; not there yet. */
  readonly databaseDir: string;
  /** The chain, and what stands between it and the gateway. */
  readonly anvil: Anvil;
  readonly node: MeddlingProxy;
  /** Stops what was started in addition, before the folder is removed. */
  onClose(stop: () => Promise<unknown>): void;
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
  /** The command that runs a program of Node, and its first arguments; by default Node itself. */
  commandOf?(name: ProcessName): readonly string[];
  /** The name that the receiver of webhooks goes by; by default its address. */
  readonly receiverHost?: string;
  /** Called once the database has started, before the processes do; servers that it starts end with the others. */
  arrange?(database: ChaosDatabase, startServer: (dataDir: string) => Promise<ChaosDatabase>): Promise<void>;
}

/** A deployment without anything besides. */
export const USUAL: Setting<null> = { prepare: () => ({ tools: null }) };
