// Spans of what a process does. They are off unless the composition root turns them on; then `traced` only calls its
// work, and nothing of OpenTelemetry is loaded.

/** Values that may be shown: names of ours, ids, counts; never a secret, an address of a person, or a caller's text. */
export type SpanAttributes = Readonly<Record<string, string | number>>;

/** Where a span belongs. */
export type SpanPlace =
  /** Below the current one; without one there is no span. */
  | 'within'
  /** It begins a trace, if that is sampled. */
  | 'root'
  /** Below the span that a row names, perhaps another process's; without one there is no span. */
  | { readonly below: string | null };

export interface Tracer {
  span<Result>(name: string, place: SpanPlace, attributes: SpanAttributes, work: () => Result): Result;
  /** The current span; null if there is none that is recorded. */
  current(): { readonly traceId: string; readonly traceparent: string } | null;
}

let tracer: Tracer | null = null;

/** Turns tracing on, or off with null. */
export function setTracer(chosen: Tracer | null): void {
  tracer = chosen;
}

/** Runs work within a span. What it returns or throws is passed on; a promise ends the span when it settles. */
export function traced<Result>(name: string, place: SpanPlace, attributes: SpanAttributes, work: () => Result): Result {
  return tracer === null ? work() : tracer.span(name, place, attributes, work);
}

/** Whether spans are made at all, for work that would only prepare one. */
export const isTracing = (): boolean => tracer !== null;

/** The current span as a row keeps it (`traceparent` of W3C Trace Context); null if there is none. */
export const traceparent = (): string | null => tracer?.current()?.traceparent ?? null;

/** The current trace's id; null if there is none. */
export const traceId = (): string | null => tracer?.current()?.traceId ?? null;

/** The fields of a log line that lead to its trace. */
export const traceFields = (): { readonly traceId?: string } => {
  const current = tracer?.current();
  return current ? { traceId: current.traceId } : {};
};
