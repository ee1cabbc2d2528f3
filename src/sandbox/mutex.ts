// Runs functions one at a time, in the order of the calls; one that fails does not hold up the next.

/** Runs the function once everything asked for before it is done; resolves or rejects as it does. */
export type Mutex = <T>(run: () => Promise<T>) => Promise<T>;

export function createMutex(): Mutex {
  let last: Promise<unknown> = Promise.resolve();
  return <T>(run: () => Promise<T>): Promise<T> => {
    const result = last.then(run);
    last = result.catch(() => undefined);
    return result;
  };
}
