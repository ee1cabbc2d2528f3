// For a container's health check: asks the process of these same variables whether it is alive, or with --ready whether
// it takes calls. Exit code 1 if not.

import { request as requestPlainly } from 'node:http';
import { request as requestSecurely } from 'node:https';
import { readConfig, type Config } from '../config/config.ts';

const WITHIN_MS = 5_000;
const PATH = process.argv.includes('--ready') ? '/readyz' : '/healthz';

/** Where the process answers; null if it does not listen at all. */
function placeOf(config: Config): { readonly url: string; readonly isSecure: boolean } | null {
  const isApi = config.roles.has('api');
  const port = isApi ? config.port : config.metricsPort;
  if (port === null) return null;
  const isSecure = isApi && config.tls !== null;
  const host = ANY_ADDRESS.has(config.host) ? 'localhost' : config.host;
  const shown = host.includes(':') ? `[${host}]` : host;
  return { url: `http${isSecure ? 's' : ''}://${shown}:${port}${PATH}`, isSecure };
}

const ANY_ADDRESS: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

/** The status of the answer. Its certificate is for its public name, and not for this address. */
function ask({ url, isSecure }: { readonly url: string; readonly isSecure: boolean }): Promise<number> {
  return new Promise((resolve, reject) => {
    const options = { timeout: WITHIN_MS, agent: false, ...(isSecure && { rejectUnauthorized: false }) } as const;
    const outgoing = (isSecure ? requestSecurely : requestPlainly)(url, options, (incoming) => {
      incoming.resume();
      resolve(incoming.statusCode ?? 0);
    });
    outgoing.on('timeout', () => outgoing.destroy(new Error(`no answer within ${WITHIN_MS} ms`)));
    outgoing.on('error', reject);
    outgoing.end();
  });
}

try {
  const place = placeOf(readConfig());
  if (place === null) throw new Error('METRICS_PORT is not set: this process cannot be asked');
  const status = await ask(place);
  if (status !== 200) throw new Error(`${place.url} answered ${status}`);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
