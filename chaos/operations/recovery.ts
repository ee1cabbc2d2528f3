// Halts of signing, and the operator's `npm run recover` that ends them.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Violation } from '../invariants/violation.ts';
import { waitUntil } from '../processes/wait.ts';
import type { Deployment } from './deployment.ts';

const PROGRAM = fileURLToPath(new URL('../../src/cli/recover.js', import.meta.url));
const HALTED_WITHIN_MS = 120_000;
/** Only for a recovery that hangs. */
const RECOVERED_WITHIN_MS = 900_000;

type Note = (words: string) => void;

/** Why the networks are halted that are. */
export async function readHalts({ database }: Pick<Deployment, 'database'>): Promise<string[]> {
  const rows = await database.rows<{ words: string }>(
    `select network || ': ' || findings::text as words from signing_halt order by network`,
  );
  return rows.map(({ words }) => words);
}

/** Resolves once signing is halted, and notes how long that took. */
export async function untilHalted(deployment: Deployment, note: Note): Promise<void> {
  const startedAt = performance.now();
  await waitUntil('signing is halted', HALTED_WITHIN_MS, async () =>
    (await readHalts(deployment)).length > 0 ? true : null,
  );
  note(`signing was halted ${((performance.now() - startedAt) / 1_000).toFixed(1)} s after the signer's start`);
}

/** Completes the book as the operator does, where the signer runs. Throws `Violation` if that fails. */
export async function runRecover(deployment: Deployment, note: Note, more: readonly string[] = []): Promise<void> {
  const startedAt = performance.now();
  const args = ['--network', 'ETH', '--apply', '--note', 'chaos', ...more];
  const env = { ...deployment.environmentOf('signer') };
  await new Promise<void>((resolve, reject) => {
    const options = { env, timeout: RECOVERED_WITHIN_MS };
    execFile(process.execPath, ['--enable-source-maps', PROGRAM, ...args], options, (error, out, err) =>
      error === null ? resolve() : reject(new Violation(`npm run recover: ${out}\n${err}`.trim())),
    );
  });
  note(`\`npm run recover\` took ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`);
}
