// Signers as child processes that a test starts and kills, and the signers that replace them. The test answers their
// questions, since it holds the chain and the keys.

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Answer, Ask, KilledTask } from './program.fixture.ts';
import { runSigner, type Call, type Question, type SignerTask } from './run-signer.fixture.ts';

export interface SignerProcesses {
  /** A process that has started and waits for its task. */
  start(): ChildProcess;
  /** Gives it its task, and returns how it ended: killed at the chosen point, or by itself. */
  run(child: ChildProcess, task: KilledTask): Promise<'killed' | 'finished' | 'failed'>;
  /**
   * Runs the next signer to its end in the test's process. It has a database connection, an adapter and a sender of its
   * own, so all it knows is in the rows and on the chain.
   */
  finish(task: SignerTask): Promise<void>;
  endAll(): void;
}

/** `answer` is called for each of their questions; every call is answered unless the process is dead. */
export function createSignerProcesses(answer: (question: Question) => Promise<unknown>): SignerProcesses {
  const children = new Set<ChildProcess>();
  return {
    start: () => {
      const program = fileURLToPath(new URL('./program.fixture.js', import.meta.url));
      const child = fork(program, {
        ...{ serialization: 'advanced', execArgv: [], stdio: ['ignore', 'pipe', 'inherit', 'ipc'] },
      });
      children.add(child);
      const reply = (message: Answer) => {
        if (child.connected) child.send(message, () => undefined);
      };
      child.on('message', (ask: Ask) => {
        answer(ask).then(
          (value) => reply({ id: ask.id, value }),
          (error: unknown) => reply({ id: ask.id, error: String(error) }),
        );
      });
      return child;
    },
    run: async (child, task) => {
      child.stdout?.once('data', () => child.kill('SIGKILL'));
      child.send(task);
      const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
      return signal === 'SIGKILL' ? 'killed' : code === 0 ? 'finished' : 'failed';
    },
    finish: (task) => {
      const call: Call = async <Value>(method: Question['method'], ...parameters: unknown[]) =>
        (await answer({ method, parameters })) as Value;
      return runSigner(task, call, () => undefined);
    },
    endAll: () => {
      for (const child of children) child.kill('SIGKILL');
      children.clear();
    },
  };
}
