// What the candidates of the create bench have in common.

import type { Sample } from '../shared/run-process.ts';

export type CandidateName = 'rest' | 'graphql' | 'pg' | 'pgbench' | 'invoice' | 'invoice-pgbench';

/** Those that make invoices, and choose a coin for each, rather than payments. */
export const isOfInvoices = (name: CandidateName): boolean => name.startsWith('invoice');

export interface Candidate {
  readonly name: CandidateName;
  readonly label: string;
  /** Successful requests or transactions so far. */
  total(): number;
  run(seconds: number): Promise<Sample>;
  /** Waits for the background work that a run left behind; resolves to the milliseconds it took. */
  settle(): Promise<number>;
  close(): Promise<void>;
}
