// Reads that many callers share: what is asked for in one turn of the event loop is read by one statement. A key is
// read after it was asked for, so its reader sees everything that was committed before.

import { createGroupCommit } from './group-commit.ts';

/** Makes the function that reads the value of a key, or null where there is none, of one that reads those of many. */
export function createBatchedReader<Value>(
  read: (keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>,
): (key: string) => Promise<Value | null> {
  const reads = createGroupCommit<string, Value | null>({
    run: async (keys) => {
      const values = await read([...new Set(keys)]);
      return keys.map((key) => values.get(key) ?? null);
    },
  });
  return (key) => reads.submit(key);
}
