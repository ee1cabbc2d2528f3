// Reads the OTEL_… variables, by the names of the OpenTelemetry specification.

import type { Reader } from './reader.ts';

export interface TracingConfig {
  /** Where spans are sent to: the whole URL. */
  readonly endpoint: string;
  /** Sent with them, such as a token. */
  readonly headers: Readonly<Record<string, string>>;
  /** The share of traces that is recorded, from 0 to 1. */
  readonly ratio: number;
  readonly serviceName: string;
}

/** Reads them; null: no endpoint is set, and there are no traces. */
export function readTracing(read: Reader): TracingConfig | null {
  const base = read.optional('OTEL_EXPORTER_OTLP_ENDPOINT');
  const ratio = readRatio(read);
  const headers = readHeaders(read);
  const serviceName = read.text('OTEL_SERVICE_NAME', 'turnpike');
  if (base === null) return null;
  const endpoint = `${read.url('OTEL_EXPORTER_OTLP_ENDPOINT', '').replace(/\/$/, '')}/v1/traces`;
  return { endpoint, headers, ratio, serviceName };
}

/** `OTEL_TRACES_SAMPLER_ARG`: one call in ten by default. */
function readRatio(read: Reader): number {
  const text = read.text('OTEL_TRACES_SAMPLER_ARG', '0.1');
  const ratio = Number(text);
  if (/^(0|1|0\.\d{1,6}|1\.0{1,6})$/.test(text)) return ratio;
  read.fault('OTEL_TRACES_SAMPLER_ARG', `must be a number from 0 to 1, not "${text}"`);
  return 0;
}

/** `OTEL_EXPORTER_OTLP_HEADERS`: `name=value` pairs, comma-separated, values percent-encoded. */
function readHeaders(read: Reader): Record<string, string> {
  const pairs = read.list('OTEL_EXPORTER_OTLP_HEADERS').map((pair) => pair.split(/=(.*)/s));
  const isFine = pairs.every(([name = '', value]) => /^[\w-]+$/.test(name) && value !== undefined && isEncoded(value));
  if (!isFine) read.fault('OTEL_EXPORTER_OTLP_HEADERS', 'must be name=value pairs, comma-separated');
  return isFine ? Object.fromEntries(pairs.map(([name = '', value = '']) => [name, decodeURIComponent(value)])) : {};
}

function isEncoded(value: string): boolean {
  try {
    decodeURIComponent(value);
    return true;
  } catch {
    return false;
  }
}
