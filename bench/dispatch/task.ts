// What each candidate is told to do, in a process of its own.

export interface DispatchTask {
  readonly databaseUrl: string;
  readonly count: number;
  readonly concurrency: number;
  /** Whether the reference posts with undici's `dispatch`. */
  readonly byDispatch: boolean;
  /** The merchant's secret by endpoint URL, kept in memory. */
  readonly secrets: Readonly<Record<string, string>>;
}
