// The OTEL_… variables, by the names of the specification; without an endpoint there is no tracing, and nothing is
// read.

import { expect, it } from '@jest/globals';
import { ConfigError, readConfig } from '../../src/config/config.ts';
import { readSources } from '../support/sources.ts';

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector.internal:4318/' };

it('is off without an endpoint', () => {
  expect(readConfig({ OTEL_TRACES_SAMPLER_ARG: '1' }).tracing).toBeNull();
});

it('records a tenth unless told otherwise', () => {
  expect(readConfig(ENDPOINT).tracing).toEqual({
    endpoint: 'https://collector.internal:4318/v1/traces',
    headers: {},
    ratio: 0.1,
    serviceName: 'turnpike',
  });
  const more = { OTEL_TRACES_SAMPLER_ARG: '0.25', OTEL_SERVICE_NAME: 'pay', OTEL_EXPORTER_OTLP_HEADERS: 'a=b%3D,c=' };
  expect(readConfig({ ...ENDPOINT, ...more }).tracing).toMatchObject({
    ...{ ratio: 0.25, serviceName: 'pay', headers: { a: 'b=', c: '' } },
  });
});

it.each([
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
  ['OTEL_TRACES_SAMPLER_ARG', '2'],
  ['OTEL_TRACES_SAMPLER_ARG', 'always'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'token'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'token=%'],
])('%s must not be %s', (name, value) => {
  expect(() => readConfig({ ...ENDPOINT, [name]: value })).toThrow(ConfigError);
  expect(() => readConfig({ ...ENDPOINT, [name]: value })).toThrow(new RegExp(`${name}: must be`));
});

it('OpenTelemetry is loaded by one file, and that file only when it is on', () => {
  const loads = /^import (?!type )[^;]*'@opentelemetry/m;
  const sources = readSources('src');
  expect(sources.filter(({ text }) => loads.test(text)).map(({ path }) => path)).toEqual([]);
  const naming = sources.filter(({ text }) => text.includes('@opentelemetry/')).map(({ path }) => path);
  expect(naming).toEqual(['src/gateway/tracing.ts']);
  const users = sources.filter(({ text }) => /import (?!type )[^;(]*from '\.\/tracing\.ts'/.test(text));
  expect(users.map(({ path }) => path).filter((path) => path.startsWith('src/gateway/'))).toEqual([]);
});
