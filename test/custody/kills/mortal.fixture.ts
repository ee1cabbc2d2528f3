// Simulates the death of a process: one call to a part of it fails, before or after taking effect, and so does every
// later call.

/**
 * Wraps parts of one process. The call named in `point` (`before sign`, `after sign`) fails after it was made `skip`
 * times, and from then on every call does.
 */
export function mortal(point: string, skip: number): <Part extends object>(part: Part) => Part {
  const [when, call] = point.split(' ');
  let left = skip;
  let isDead = false;
  return (part) =>
    new Proxy(part, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== 'function') return value;
        return (...given: unknown[]) => {
          const run = () => value.apply(target, given) as unknown;
          if (isDead) throw new Error('dead');
          if (name !== call || left-- > 0) return run();
          isDead = true;
          if (when === 'before') return Promise.reject(new Error('died'));
          return Promise.resolve(run()).then(() => {
            throw new Error('died');
          });
        };
      },
    });
}
