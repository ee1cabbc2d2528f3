// Compiles the contracts of tests, and keeps what came of it: loading the compiler takes longer than most test files.

import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Hex } from 'viem';

const require = createRequire(import.meta.url);
const CACHE = fileURLToPath(new URL('../../../../node_modules/.cache/turnpike-test-contracts', import.meta.url));

/** `creation` deploys the contract; `runtime` is code to place at an address. */
export interface Code {
  readonly creation: Hex;
  readonly runtime: Hex;
}

interface Compiled {
  readonly evm: { readonly bytecode: { object: string }; readonly deployedBytecode: { object: string } };
}

/**
 * Compiles a source, unless it was compiled before by the same compiler. Returns the code of its contracts, by name.
 */
export function compileSource(source: string): Readonly<Record<string, Code>> {
  const input = JSON.stringify({
    language: 'Solidity',
    sources: { 'C.sol': { content: source } },
    settings: {
      evmVersion: 'paris',
      outputSelection: { '*': { '*': ['evm.bytecode.object', 'evm.deployedBytecode.object'] } },
    },
  });
  const { version } = require('solc/package.json') as { version: string };
  const path = join(CACHE, `${createHash('sha256').update(version).update(input).digest('hex')}.json`);
  const kept = readKept(path);
  if (kept !== null) return JSON.parse(kept) as Record<string, Code>;
  const solc = require('solc') as { compile(input: string): string };
  const { contracts } = JSON.parse(solc.compile(input)) as { contracts: { 'C.sol': Record<string, Compiled> } };
  const codes = Object.fromEntries(
    Object.entries(contracts['C.sol']).map(([name, { evm }]): [string, Code] => [
      name,
      { creation: `0x${evm.bytecode.object}`, runtime: `0x${evm.deployedBytecode.object}` },
    ]),
  );
  keep(path, JSON.stringify(codes));
  return codes;
}

function readKept(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Several test files may compile the same source at once: a file gets its name once it is complete. */
function keep(path: string, content: string): void {
  mkdirSync(CACHE, { recursive: true });
  const unfinished = `${path}.${randomUUID()}`;
  writeFileSync(unfinished, content);
  renameSync(unfinished, path);
}
