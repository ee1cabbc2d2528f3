// What the candidates of the create bench have in common.

import type { Sample } from '../shared/run-process.ts';

export type CandidateName = 'rest' | 'graphql' | 'pg' | 'pgbench';

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
