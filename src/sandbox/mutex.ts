// One thing at a time: callers run in the order in which they came, and one that fails does not hold up the next.

/** Runs the function when everything asked for before it is done; resolves or rejects as it does. */
export type Mutex = <T>(run: () => Promise<T>) => Promise<T>;

export function createMutex(): Mutex {
  let last: Promise<unknown> = Promise.resolve();
  return <T>(run: () => Promise<T>): Promise<T> => {
    const result = last.then(run);
    last = result.catch(() => undefined);
    return result;
  };
}
