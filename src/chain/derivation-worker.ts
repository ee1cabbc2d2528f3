// The worker that derives addresses for derivation-thread.ts. It sees only extended public keys.

import { parentPort } from 'node:worker_threads';
import type { ParsedAddress } from './adapter.ts';
import type { DerivationJob, Derived } from './derivation-thread.ts';
import { createAddressDerivation } from './evm/address.ts';

/** By account name. Addresses of other kinds are derived when they are needed. */
const DERIVATIONS: Readonly<Record<string, (xpub: string, index: number) => ParsedAddress>> = {
  evm: createAddressDerivation(),
};

/** Small enough to deliver the first addresses soon, large enough to spread the cost of a message. */
const BATCH = 16;

parentPort?.on('message', ({ job, account, xpub, first, count }: DerivationJob & { job: number }) => {
  const answer = (derived: Omit<Derived, 'job'>) => parentPort?.postMessage({ job, ...derived } satisfies Derived);
  const derive = DERIVATIONS[account];
  const end = first + count;
  if (!derive) return answer({ first, addresses: [], isLast: true });
  for (let start = first; start < end; start += BATCH) {
    const size = Math.min(BATCH, end - start);
    const addresses = Array.from({ length: size }, (_, offset) => derive(xpub, start + offset));
    answer({ first: start, addresses, isLast: start + size === end });
  }
});
