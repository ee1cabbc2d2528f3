// What the candidates of the create bench have in common.

import type { Sample } from '../shared/run-process.ts';

export type CandidateName = 'rest' | 'graphql' | 'pg' | 'pgbench';

export interface Candidate {
  readonly name: CandidateName;
  readonly label: string;
  /** Answers and transactions that succeeded so far. */
  total(): number;
  run(seconds: number): Promise<Sample>;
  /** Waits for what a run leaves to be done behind the answers; milliseconds it took. */
  settle(): Promise<number>;
  close(): Promise<void>;
}
