// Group commit: commands that arrive while a batch is being committed form the next batch, run as one statement.
// One bad command never fails the others: a failed batch is run again command by command.

import { CommitWaits } from './dead-connections.ts';

interface GroupCommitOptions<Command, Result> {
  /** Commits a batch whole or not at all; returns the results in the commands' order. Must be safe to repeat. */
  run(batch: readonly Command[]): Promise<readonly Result[]>;
  maxBatch?: number;
  /** Batches in flight at once. With two, one is being built while the other waits for the disk. */
  concurrency?: number;
}

export interface GroupCommit<Command, Result> {
  submit(command: Command): Promise<Result>;
}

interface Waiting<Command, Result> {
  readonly command: Command;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/** Creates a group commit over `run`. */
export function createGroupCommit<Command, Result>({
  run,
  maxBatch = 128,
  concurrency = 2,
}: GroupCommitOptions<Command, Result>): GroupCommit<Command, Result> {
  const queue: Waiting<Command, Result>[] = [];
  let inFlight = 0;
  let scheduled = false;

  function pump(): void {
    while (queue.length > 0 && inFlight < concurrency) {
      const batch = queue.splice(0, maxBatch);
      inFlight += 1;
      void commit(batch).finally(() => {
        inFlight -= 1;
        pump();
      });
    }
  }

  async function commit(batch: Waiting<Command, Result>[]): Promise<void> {
    try {
      resolveBatch(batch, await run(batch.map((waiting) => waiting.command)));
    } catch (error) {
      // One by one they would wait for the batch's own commit, which has their keys.
      if (batch.length === 1 || error instanceof CommitWaits) for (const { reject } of batch) reject(error);
      else await Promise.all(batch.map((waiting) => commit([waiting])));
    }
  }

  function resolveBatch(batch: Waiting<Command, Result>[], results: readonly Result[]): void {
    batch.forEach((waiting, index) => {
      const result = results[index];
      if (result === undefined) waiting.reject(new Error('a group commit returned too few results'));
      else waiting.resolve(result);
    });
  }

  return {
    submit: (command) =>
      new Promise<Result>((resolve, reject) => {
        queue.push({ command, resolve, reject });
        if (scheduled) return;
        scheduled = true;
        // After all requests read from their sockets in this event-loop turn, so that they form one batch.
        setImmediate(() => {
          scheduled = false;
          pump();
        });
      }),
  };
}
