// Looks at the process itself: whether it runs here, is ready, and is this version.

import type { Config } from '../../config/config.ts';
import { VERSION } from '../../database/program.ts';
import type { Examination } from './examination.ts';
import { fault, orOk, reasonOf, warning, type Finding } from './finding.ts';
import { getPage } from './http.ts';

/** Where this process serves /readyz and /metrics; null if it does not. */
function ownUrl({ roles, host, port, metricsPort, tls }: Config): string | null {
  const ownPort = roles.has('api') ? port : metricsPort;
  if (ownPort === null || ownPort === 0) return null;
  const name = { '0.0.0.0': '127.0.0.1', '::': '[::1]' }[host] ?? (host.includes(':') ? `[${host}]` : host);
  return `${roles.has('api') && tls !== null ? 'https' : 'http'}://${name}:${String(ownPort)}`;
}

/** Whether something answers where this process listens. */
export async function isRunning(config: Config): Promise<boolean> {
  const url = ownUrl(config);
  if (url === null) return false;
  return getPage(`${url}/healthz`).then(
    () => true,
    () => false,
  );
}

export async function checkProcess({ config }: Examination): Promise<Finding[]> {
  const url = ownUrl(config);
  if (url === null)
    return [
      warning(
        'METRICS_PORT is not set: nobody can see how this process is',
        'set METRICS_PORT, and let Prometheus and the health check read it',
      ),
    ];
  try {
    const [readiness, metrics] = await Promise.all([getPage(`${url}/readyz`), getPage(`${url}/metrics`)]);
    const running = /^turnpike_build_info\{version="([^"]+)",schema="(\d+)"/m.exec(metrics.body)?.[1];
    if (running === undefined)
      return [fault(`something else than Turnpike answers at ${url}`, 'give this process a port of its own')];
    return orOk([judgeReadiness(readiness.body, readiness.status), judgeVersion(running)], `${running} runs at ${url}`);
  } catch (error) {
    return [warning(`it does not run here: ${url} does not answer (${reasonOf(error)})`, 'start it, if it should')];
  }
}

function judgeReadiness(body: string, status: number): Finding | null {
  if (status === 200) return null;
  return fault(`it is not ready: ${faultsIn(body)}`, "look at the process's log");
}

function faultsIn(body: string): string {
  try {
    const { faults } = JSON.parse(body) as { faults: Record<string, string> };
    return Object.entries(faults)
      .map(([name, text]) => `${name}: ${text}`)
      .join(', ');
  } catch {
    return 'its answer cannot be read';
  }
}

function judgeVersion(running: string): Finding | null {
  if (running === VERSION) return null;
  return warning(
    `it runs ${running}, and this is ${VERSION}`,
    'restart it with this version, or check it with its own',
  );
}
