// What the doctor finds: the state of one thing in one line, and what to do about it.

export type State = 'ok' | 'warning' | 'fault';

export interface Finding {
  readonly state: State;
  /** One line without secrets. */
  readonly found: string;
  /** What to do; null if all is well. */
  readonly remedy: string | null;
}

export const ok = (found: string): Finding => ({ state: 'ok', found, remedy: null });
export const warning = (found: string, remedy: string): Finding => ({ state: 'warning', found, remedy });
export const fault = (found: string, remedy: string): Finding => ({ state: 'fault', found, remedy });

/** What was found to be wrong; if nothing was, that all is well. */
export const orOk = (findings: readonly (Finding | null)[], found: string): Finding[] => {
  const wrong = findings.filter((finding) => finding !== null);
  return wrong.length > 0 ? wrong : [ok(found)];
};

/** The message of an error in one line. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return error.errors.map(reasonOf).join('; ');
  const text = error instanceof Error ? error.message || String((error as { code?: unknown }).code) : String(error);
  return text.replace(/\s+/g, ' ').trim();
}

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'] as const;

/** A number of bytes with three digits at most. */
export function showBytes(bytes: number): string {
  const unit = bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1_000 ** unit;
  return `${value.toFixed(value < 10 && unit > 0 ? 1 : 0)} ${UNITS[unit] ?? ''}`;
}

/** A duration in the largest unit that makes sense. */
export function showDuration(ms: number): string {
  const seconds = Math.round(Math.abs(ms) / 1_000);
  if (Math.abs(ms) < 1_000) return `${String(Math.round(Math.abs(ms)))} ms`;
  if (seconds < 120) return `${String(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 120) return `${String(minutes)} min`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${String(hours)} h` : `${String(Math.round(hours / 24))} d`;
}
