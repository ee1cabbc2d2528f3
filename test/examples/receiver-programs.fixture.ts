// The example receivers as the programs that a merchant would start: found, built, started on a free port, and stopped.

import { execFileSync, spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { ROOT } from '../support/sources.ts';
import { findFreePort } from '../support/gateway/gateway.ts';
import { until } from '../support/until.ts';

export type Command = readonly [file: string, ...args: string[]];

export interface Language {
  readonly name: string;
  /** The program that must be on the PATH. */
  readonly needs: string;
  /** Returns the command line; what has to be built first goes to `folder`. */
  readonly build: (folder: string) => Command;
}

export interface Program {
  readonly url: string;
  /** The lines of its standard output so far. */
  lines(): string[];
  /** Everything on its standard error so far. */
  complaints(): string;
  stop(): Promise<void>;
}

const EXAMPLES = join(ROOT, 'examples', 'webhooks');

export const LANGUAGES: readonly Language[] = [
  { name: 'TypeScript', needs: 'node', build: () => [process.execPath, join(EXAMPLES, 'typescript', 'receiver.ts')] },
  { name: 'Python', needs: 'python3', build: () => ['python3', '-B', join(EXAMPLES, 'python', 'receiver.py')] },
  { name: 'Go', needs: 'go', build: buildGo },
  { name: 'PHP', needs: 'php', build: () => ['php', join(EXAMPLES, 'php', 'receiver.php')] },
];

/**
 * Builds without network, from the compiled parts of Go's library that Debian ships, and leaves nothing outside
 * `folder`.
 */
function buildGo(folder: string): Command {
  const program = join(folder, 'receiver');
  const caches = { GOCACHE: join(folder, 'cache'), GOPATH: join(folder, 'path') };
  const offline = { GOFLAGS: '-mod=mod', GOPROXY: 'off', GOTOOLCHAIN: 'local' };
  const env = { PATH: process.env['PATH'], HOME: folder, ...caches, ...offline };
  execFileSync('go', ['build', '-o', program, '.'], { cwd: join(EXAMPLES, 'go'), env, stdio: 'pipe' });
  return [program];
}

/** Whether a program of this name is on the PATH. */
export function isInstalled(name: string): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, name), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** Starts a receiver with these secrets and with `folder` for its files; resolves when it accepts connections. */
export async function startReceiver(command: Command, folder: string, secrets: readonly string[]): Promise<Program> {
  const port = await findFreePort();
  const [file, ...args] = command;
  const env = { PATH: process.env['PATH'], TMPDIR: folder, PORT: String(port), WEBHOOK_SECRET: secrets.join(',') };
  const child = spawn(file, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const written = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (written.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (written.stderr += text));
  let hasEnded = false;
  const ended = new Promise<void>((resolve) => {
    for (const event of ['close', 'error']) child.once(event, () => resolve());
  }).then(() => void (hasEnded = true));
  const url = `http://127.0.0.1:${port}`;
  const answers = () => {
    if (hasEnded) throw new Error(`${file} ended: ${written.stderr}`);
    return fetch(url, { method: 'POST', body: '' }).then(
      () => true,
      () => false,
    );
  };
  const stop = async (): Promise<void> => {
    child.kill();
    await ended;
  };
  try {
    await until(answers);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, lines: () => written.stdout.split('\n').slice(0, -1), complaints: () => written.stderr, stop };
}
