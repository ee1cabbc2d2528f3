// Starts programs of the live bench in processes of their own, and calls their functions by name over IPC.

import { fork } from 'node:child_process';
import { once } from 'node:events';

/** Commands by name; each takes one JSON value and returns one. */
export type Commands = Readonly<Record<string, (input: never) => Promise<unknown>>>;

export interface Process<Served extends Commands> {
  call<Name extends keyof Served & string>(
    name: Name,
    input: Parameters<Served[Name]>[0],
  ): Promise<Awaited<ReturnType<Served[Name]>>>;
  readonly pid: number;
  close(): Promise<void>;
}

interface Answer {
  readonly id: number;
  readonly output?: unknown;
  readonly error?: string;
}

/** Starts a process that runs `module`, which calls `serve`. */
export function startProcess<Served extends Commands>(module: URL, flags: readonly string[] = []): Process<Served> {
  const child = fork(module, {
    execArgv: ['--enable-source-maps', ...flags],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const ended = once(child, 'exit');
  const waiting = new Map<number, { resolve(output: never): void; reject(error: Error): void }>();
  let count = 0;
  child.on('message', ({ id, output, error }: Answer) => {
    const call = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) call?.resolve(output as never);
    else call?.reject(new Error(error));
  });
  child.once('exit', () => {
    for (const call of waiting.values()) call.reject(new Error(`${module.pathname} ended in the middle of a call`));
  });
  return {
    pid: child.pid ?? 0,
    call: (name, input) =>
      new Promise((resolve, reject) => {
        count += 1;
        waiting.set(count, { resolve, reject });
        child.send({ id: count, name, input });
      }),
    async close() {
      if (child.connected) child.disconnect();
      await ended;
    },
  };
}

/** Called in such a process: answers calls until the parent is gone, then runs `end`. */
export function serve(commands: Commands, end: () => Promise<void> = () => Promise.resolve()): void {
  const perform = async (name: string, input: never): Promise<Omit<Answer, 'id'>> => {
    try {
      return { output: await commands[name]?.(input) };
    } catch (error) {
      return { error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
    }
  };
  process.on('message', ({ id, name, input }: { id: number; name: string; input: never }) => {
    void perform(name, input).then((answer) => process.send?.({ id, ...answer }));
  });
  process.on('SIGINT', () => undefined); // The parent stops us after its cleanup.
  process.once('disconnect', () => void end().finally(() => process.exit()));
}

/** Wall-clock time in milliseconds, with fractions: the same in every process on the machine. */
export const nowMs = (): number => performance.timeOrigin + performance.now();
