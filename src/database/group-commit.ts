// Group commit: commands that arrive while a batch is being committed make up the next batch, one statement for all.
// One bad command never fails its neighbours: a batch that fails is run again command by command.

interface GroupCommitOptions<Command, Result> {
  /** Commits a batch whole or not at all, and answers in the order of the commands. Must be safe to repeat. */
  run(batch: readonly Command[]): Promise<readonly Result[]>;
  maxBatch?: number;
  /** Batches in flight at once; with two, one is being built while the other waits for the disk. */
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

/** Makes a group commit over `run`. */
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
      settle(batch, await run(batch.map((waiting) => waiting.command)));
    } catch (error) {
      if (batch.length === 1) batch[0]?.reject(error);
      else await Promise.all(batch.map((waiting) => commit([waiting])));
    }
  }

  function settle(batch: Waiting<Command, Result>[], results: readonly Result[]): void {
    batch.forEach((waiting, index) => {
      const result = results[index];
      if (result === undefined) waiting.reject(new Error('a group commit answered too few results'));
      else waiting.resolve(result);
    });
  }

  return {
    submit: (command) =>
      new Promise<Result>((resolve, reject) => {
        queue.push({ command, resolve, reject });
        if (scheduled) return;
        scheduled = true;
        // After the requests that were read from their sockets in this turn: they make up one batch.
        setImmediate(() => {
          scheduled = false;
          pump();
        });
      }),
  };
}
