// Debian's Prometheus and Alertmanager with the rules of deploy/, made quick enough for a test.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findFreePort } from '../../support/gateway/gateway.ts';
import { until, untilPasses } from '../../support/until.ts';

export const DEPLOY = fileURLToPath(new URL('../../../../deploy/prometheus/', import.meta.url));

/** An alert as Alertmanager's API tells of it. */
export interface Alert {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

export interface Target {
  readonly role: string;
  /** Without a path. */
  readonly url: string;
}

export interface Monitoring {
  /** The alerts that are active in Alertmanager. */
  alerts(): Promise<Alert[]>;
  /** Waits for an alert with these labels. */
  fired(alertname: string, labels?: Readonly<Record<string, string>>): Promise<Alert>;
  /** Waits until there is no such alert any more: Prometheus tells Alertmanager that it is over. */
  over(alertname: string): Promise<void>;
  stop(): Promise<void>;
}

/** How long an alert may take; causes are noticed in rounds of up to a minute. */
export const PATIENCE_MS = 240_000;

/**
 * The rules with shorter times, and nothing else changed: an alert waits a second instead of minutes, and what is
 * measured over minutes or hours is measured over seconds.
 */
export function hurried(rules: string): string {
  return rules
    .replaceAll(/for: \d+m\n/g, 'for: 1s\n')
    .replaceAll(/\[(?:30m|3h|2m)\]/g, '[10s]')
    .replaceAll(/offset (?:30m|3h)/g, 'offset 10s')
    .replaceAll(/(_seconds\)) > (?:900|300|60)\b/g, '$1 > 5');
}

/** Starts both; they scrape the targets every second. */
export async function startMonitoring(folder: string, targets: readonly Target[]): Promise<Monitoring> {
  await mkdir(folder, { recursive: true });
  const [port, alertPort, clusterPort] = [await findFreePort(), await findFreePort(), await findFreePort()];
  await writeFile(join(folder, 'alerts.yaml'), hurried(await readFile(join(DEPLOY, 'alerts.yaml'), 'utf8')));
  await writeFile(join(folder, 'alertmanager.yml'), await readFile(join(DEPLOY, 'alertmanager.yml'), 'utf8'));
  const config = (await readFile(join(DEPLOY, 'prometheus.yml'), 'utf8'))
    .replaceAll('15s', '1s')
    .replace('alertmanager:9093', `127.0.0.1:${alertPort}`)
    .replace(/ {2}- job_name: turnpike\n[^]*?(?=\nalerting:)/, jobsOf(targets));
  await writeFile(join(folder, 'prometheus.yml'), config);
  const alertmanager = await launch('prometheus-alertmanager', `http://127.0.0.1:${alertPort}`, [
    ...[`--config.file=${join(folder, 'alertmanager.yml')}`, `--storage.path=${join(folder, 'alertmanager')}`],
    ...[`--web.listen-address=127.0.0.1:${alertPort}`, `--cluster.listen-address=127.0.0.1:${clusterPort}`],
  ]);
  const prometheus = await launch('prometheus', `http://127.0.0.1:${port}`, [
    ...[`--config.file=${join(folder, 'prometheus.yml')}`, `--storage.tsdb.path=${join(folder, 'series')}`],
    `--web.listen-address=127.0.0.1:${port}`,
  ]);
  const alerts = async () => (await (await fetch(`http://127.0.0.1:${alertPort}/api/v2/alerts`)).json()) as Alert[];
  return {
    alerts,
    fired: (alertname, labels = {}) =>
      until(async () => {
        const wanted = Object.entries({ alertname, ...labels });
        return (await alerts()).find((alert) => wanted.every(([name, value]) => alert.labels[name] === value)) ?? false;
      }, PATIENCE_MS),
    over: (alertname) =>
      untilPasses(async () => {
        const names = (await alerts()).map(({ labels }) => labels['alertname']);
        if (names.includes(alertname)) throw new Error(`${alertname} is not over`);
      }, PATIENCE_MS),
    stop: async () => {
      await prometheus();
      await alertmanager();
    },
  };
}

function jobsOf(targets: readonly Target[]): string {
  const schemes = Map.groupBy(targets, ({ url }) => new URL(url).protocol.replace(':', ''));
  const jobs = [...schemes].flatMap(([scheme, own]) => [
    ...[`  - job_name: ${scheme}`, `    scheme: ${scheme}`, '    tls_config: { insecure_skip_verify: true }'],
    // The alerts look at one job, whatever the scheme.
    '    relabel_configs: [{ target_label: job, replacement: turnpike }]',
    '    static_configs:',
    ...own.map(({ url, role }) => `      - { targets: ['${new URL(url).host}'], labels: { role: ${role} } }`),
  ]);
  return `${jobs.join('\n')}\n`;
}

/** Starts a server of Prometheus's; returns the function that stops it. */
async function launch(program: string, url: string, options: readonly string[]): Promise<() => Promise<void>> {
  const child = spawn(program, options, { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said += String(chunk)));
  const exited = once(child, 'exit');
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`${program} did not start: ${said.slice(-2_000)}`);
    return fetch(`${url}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  });
  return async () => {
    child.kill('SIGTERM');
    await exited;
  };
}
