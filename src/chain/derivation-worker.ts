// The thread behind derivation-thread.ts. It knows extended public keys only.

import { parentPort } from 'node:worker_threads';
import type { ParsedAddress } from './adapter.ts';
import type { DerivationJob, Derived } from './derivation-thread.ts';
import { createAddressDerivation } from './evm/derive.ts';

/** By the name of the account; other kinds are derived where an address is needed. */
const DERIVATIONS: Readonly<Record<string, (xpub: string, index: number) => ParsedAddress>> = {
  evm: createAddressDerivation(),
};

/** Few enough that the first are there soon, enough that a message costs little for each. */
const AT_A_TIME = 16;

parentPort?.on('message', ({ job, account, xpub, first, count }: DerivationJob & { job: number }) => {
  const answer = (derived: Omit<Derived, 'job'>) => parentPort?.postMessage({ job, ...derived } satisfies Derived);
  const derive = DERIVATIONS[account];
  const end = first + count;
  if (!derive) return answer({ first, addresses: [], isLast: true });
  for (let start = first; start < end; start += AT_A_TIME) {
    const size = Math.min(AT_A_TIME, end - start);
    const addresses = Array.from({ length: size }, (_, offset) => derive(xpub, start + offset));
    answer({ first: start, addresses, isLast: start + size === end });
  }
});
