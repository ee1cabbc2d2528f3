// Extracts the examples from the guide and runs them as a reader would: shell, node, GraphQL.

import { execFile, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../support/sources.ts';
import { graphql } from '../support/clients.ts';

/** A fence that is marked `run`, with the answer that the text shows. */
export interface Example {
  /** File and line, for the test's name. */
  readonly at: string;
  readonly language: string;
  readonly code: string;
  /** Whether it is repeated for a while until the answer matches. */
  readonly eventually: boolean;
  readonly answer: { readonly language: string; readonly text: string } | null;
}

/** The variables and functions of the reader's shell, which carry over from one example to the next. */
export type Shell = Record<string, string>;

/** What an operator puts in place of the guide's placeholders. */
export const OWN_SECRETS = {
  TURNPIKE_SECRET: 'Jx2v0sQm8kTtYb6nRw4eUz1pLf7hCd3g',
  KEYSTORE_PASSPHRASE: 'three green lamps, unlit',
  ETH_XPUB: `xpub${'A'.repeat(107)}`,
};

interface Fence {
  readonly line: number;
  readonly language: string;
  readonly marks: readonly string[];
  readonly text: string;
}

/** Every fence of a page of the guide. */
export function fencesOf(page: string): Fence[] {
  const text = readFileSync(join(ROOT, 'docs/guide', page), 'utf8');
  return [...text.matchAll(/^```(\w+)([^\n]*)\n([\s\S]*?)^```$/gm)].map((match) => ({
    line: text.slice(0, match.index).split('\n').length,
    language: match[1] ?? '',
    marks: (match[2] ?? '').split(' ').filter(Boolean),
    text: match[3] ?? '',
  }));
}

/** The examples of a page in their order. */
export function examplesOf(page: string): Example[] {
  const fences = fencesOf(page);
  return fences.flatMap(({ line, language, marks, text }, index) => {
    if (!marks.includes('run')) return [];
    const next = fences[index + 1];
    const answer = next?.marks.includes('answer') ? { language: next.language, text: next.text } : null;
    return [
      { at: `${page}:${line} ${language}`, language, code: text, eventually: marks.includes('eventually'), answer },
    ];
  });
}

/** Runs an example and returns what it printed. `shell` is changed as the reader's own shell would be. */
export async function run({ language, code }: Example, shell: Shell): Promise<string> {
  if (language === 'sh') return runShell(code, shell);
  if (language === 'js') return runNode(code, shell);
  if (language === 'graphql') return runGraphQL(code, shell);
  throw new Error(`Nothing runs ${language}`);
}

/** Exports everything that a script assigns, so that its exports at the end are there for the next one. */
function runShell(code: string, shell: Shell): Promise<string> {
  const script = `set -euo pipefail; set -a\n${code}\nenv -0 >&3`;
  return new Promise((resolve, reject) => {
    const child = spawn('bash', ['-c', script], { env: shell, stdio: ['ignore', 'pipe', 'pipe', 'pipe'] });
    const [out, errors, variables] = [child.stdio[1], child.stdio[2], child.stdio[3]].map((stream) => {
      const chunks: Buffer[] = [];
      stream?.on('data', (chunk: Buffer) => chunks.push(chunk));
      return () => Buffer.concat(chunks).toString();
    });
    child.on('error', reject);
    child.on('close', (exit) => {
      if (exit !== 0) return reject(new Error(`bash ended with ${exit}: ${errors?.() ?? ''}`));
      for (const entry of variables?.().split('\0') ?? []) {
        const end = entry.indexOf('=');
        if (end > 0) shell[entry.slice(0, end)] = entry.slice(end + 1);
      }
      resolve(out?.() ?? '');
    });
  });
}

async function runNode(code: string, shell: Shell): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code], { env: shell });
  return stdout;
}

/** Replaces `$NAME` by a variable of the shell; GraphQL's own variables are not in capitals. */
async function runGraphQL(code: string, shell: Shell): Promise<string> {
  const document = code.replace(/\$([A-Z_]+)\b/g, (_, name: string) => shell[name] ?? '');
  return (await graphql({ url: shell['BASE'] ?? '' }, shell['TOKEN'])(document)).text;
}

/** The differences from the shown answer: `…` stands for any text, and keys and items may be left out. */
export function differences(shown: unknown, real: unknown, path = ''): string[] {
  const told = `${path || 'the answer'}: ${JSON.stringify(real)} is not ${JSON.stringify(shown)}`;
  if (typeof shown === 'string') {
    const pattern = shown.split('…').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
    return typeof real === 'string' && new RegExp(`^${pattern.join('[\\s\\S]+')}$`).test(real) ? [] : [told];
  }
  if (shown === null || typeof shown !== 'object') return Object.is(shown, real) ? [] : [told];
  if (real === null || typeof real !== 'object' || Array.isArray(real) !== Array.isArray(shown)) return [told];
  const inside = real as Readonly<Record<string, unknown>>;
  return Object.entries(shown).flatMap(([name, value]) =>
    name in inside ? differences(value, inside[name], `${path}/${name}`) : [`${path}/${name} is not there`],
  );
}
