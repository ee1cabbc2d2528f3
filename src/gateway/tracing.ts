// OpenTelemetry's SDK behind the spans of this process: sampled, and sent by OTLP over HTTP. Loaded only when it is on.

import type * as OpenTelemetry from '@opentelemetry/api';
import type { Context, Span, Tracer as ApiTracer } from '@opentelemetry/api';
import type { Logger } from 'pino';
import type { TracingConfig } from '../config/tracing.ts';
import { VERSION } from '../database/program.ts';
import { setTracer, type SpanPlace, type Tracer } from '../tracing.ts';
import type { Stops } from './lifecycle.ts';

type Api = typeof OpenTelemetry;

interface TracingParts {
  readonly roles: ReadonlySet<string>;
  readonly environment: string;
  readonly log: Logger;
  readonly stops: Stops;
}

/**
 * Turns tracing on until the process stops. Spans that cannot be sent are dropped; nothing waits for their receiver.
 */
export async function startTracing(config: TracingConfig, parts: TracingParts): Promise<void> {
  const [api, sdk, { OTLPTraceExporter }, { resourceFromAttributes }, { AsyncLocalStorageContextManager }] =
    await Promise.all([
      import('@opentelemetry/api'),
      import('@opentelemetry/sdk-trace'),
      import('@opentelemetry/exporter-trace-otlp-http'),
      import('@opentelemetry/resources'),
      import('@opentelemetry/context-async-hooks'),
    ]);
  const { endpoint: url, headers, ratio, serviceName } = config;
  const resource = resourceFromAttributes({
    ...{ 'service.name': serviceName, 'service.version': VERSION, 'deployment.environment.name': parts.environment },
    'turnpike.roles': [...parts.roles].join(','),
  });
  const exporter = new OTLPTraceExporter({ url, headers: { ...headers }, timeoutMillis: SEND_WITHIN_MS });
  const provider = new sdk.TracerProvider({
    resource,
    sampler: new sdk.ParentBasedSampler({ root: new sdk.TraceIdRatioBasedSampler(ratio) }),
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter, exportTimeoutMillis: SEND_WITHIN_MS })],
  });
  api.context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  setTracer(createTracer(api, provider.getTracer('turnpike', VERSION)));
  parts.stops.push(async () => {
    setTracer(null);
    await provider.shutdown().catch((error: unknown) => parts.log.warn({ err: error }, 'the last spans were not sent'));
    api.context.disable();
  });
}

/** Our interface on OpenTelemetry's. */
function createTracer(api: Api, spans: ApiTracer): Tracer {
  return {
    span(name, place, attributes, work) {
      const context = contextOf(api, place);
      if (context === null) return work();
      const span = spans.startSpan(name, { attributes: { ...attributes } }, context);
      let result;
      try {
        result = api.context.with(api.trace.setSpan(context, span), work);
      } catch (error) {
        fail(api, span, error);
        throw error;
      }
      if (result instanceof Promise)
        result.then(
          () => span.end(),
          (error: unknown) => fail(api, span, error),
        );
      else span.end();
      return result;
    },
    current() {
      const span = api.trace.getSpan(api.context.active());
      if (!span?.isRecording()) return null;
      const { traceId, spanId } = span.spanContext();
      return { traceId, traceparent: `00-${traceId}-${spanId}-01` };
    },
  };
}

/** The context that a span belongs into; null for no span. */
function contextOf(api: Api, place: SpanPlace): Context | null {
  const active = api.context.active();
  if (place === 'root') return api.ROOT_CONTEXT;
  if (place === 'within') return api.trace.getSpan(active)?.isRecording() ? active : null;
  const found = TRACEPARENT.exec(place.below ?? '');
  if (!found) return null;
  const [, traceId = '', spanId = ''] = found;
  const parent = { traceId, spanId, traceFlags: api.TraceFlags.SAMPLED, isRemote: true };
  return api.trace.setSpanContext(api.ROOT_CONTEXT, parent);
}

/** Only the name is told: a message may hold what no trace should. */
function fail(api: Api, span: Span, error: unknown): void {
  span.setStatus({ code: api.SpanStatusCode.ERROR, message: error instanceof Error ? error.name : 'unknown' });
  span.end();
}

/** So that a process also stops in time when the receiver does not answer. */
const SEND_WITHIN_MS = 2_000;

/** As we write it ourselves: always of a sampled trace. */
const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-01$/;
