// The settings of a bench node, and the interface of its answers.

export type BenchNetwork = 'SOL' | 'TRON' | 'LTC' | 'BTC';

/** The first message to the node's process. */
export interface ChainTask {
  readonly network: BenchNetwork;
  /** The height of the tip. */
  readonly blocks: number;
}

/** Returns an answer's body in parts, so that large parts that never change are not copied. */
export type Answer = (path: string, question: Readonly<Record<string, unknown>>) => readonly (string | Buffer)[];
