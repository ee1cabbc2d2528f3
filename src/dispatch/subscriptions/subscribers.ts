// Who listens to what: listeners by the name of what they listen to.

export type Audiences<Listener> = ReturnType<typeof createAudiences<Listener>>;

/** Makes a register without listeners. */
export function createAudiences<Listener>() {
  const byName = new Map<string, Set<Listener>>();
  let count = 0;
  return {
    count: () => count,
    /** What anyone listens to. */
    names: (): readonly string[] => [...byName.keys()],
    /** Who listens to it, as of now: listeners may leave while they are told. */
    of: (name: string): readonly Listener[] => [...(byName.get(name) ?? [])],
    join(name: string, listener: Listener): void {
      const listeners = byName.get(name) ?? new Set();
      byName.set(name, listeners.add(listener));
      count += 1;
    },
    leave(name: string, listener: Listener): void {
      const listeners = byName.get(name);
      if (!listeners?.delete(listener)) return;
      count -= 1;
      if (listeners.size === 0) byName.delete(name);
    },
  };
}
