// The sender's in-flight work: a count of claims, and the promises that shutdown waits for.

export type InFlight = ReturnType<typeof createInFlight>;

export function createInFlight() {
  const underWay = new Set<Promise<unknown>>();
  let claims = 0;
  return {
    claims: () => claims,
    take: (count: number) => void (claims += count),
    /** Returns how many are left. */
    done: (count: number) => (claims -= count),
    add(task: Promise<unknown>): void {
      underWay.add(task);
      const forget = () => void underWay.delete(task);
      task.then(forget, forget);
    },
    async allDone(withinMs: number): Promise<void> {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, withinMs)));
      const done = async () => {
        while (underWay.size > 0) await Promise.allSettled(underWay);
      };
      await Promise.race([done(), late]);
      clearTimeout(timer);
    },
  };
}
