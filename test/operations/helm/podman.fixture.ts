// Plays the chart's objects with podman: on a network of their own, with what stands in for a cluster around them.

import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { createServer, connect, type AddressInfo, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { until } from '../../support/until.ts';
import type { KubernetesObject } from './chart.fixture.ts';

/** What a command printed; `code` is 0 if it worked. */
export interface Run {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export interface Playground {
  /** This machine's address, as pods see it. */
  readonly gateway: string;
  podman(args: readonly string[], input?: string): Promise<Run>;
  /** Plays objects of Kubernetes. Throws what podman says against them. */
  play(objects: readonly KubernetesObject[]): Promise<void>;
  /**
   * Makes a Secret with these keys. podman 4.3 plays the kind as well, but mounts its values without decoding them.
   */
  secret(name: string, data: Readonly<Record<string, string>>): Promise<void>;
  /** Lets pods reach a port of this machine's own; returns `host:port` for them. */
  expose(target: URL): Promise<string>;
  /** The address of a pod. */
  addressOf(pod: string): Promise<string>;
  /** Removes all pods, volumes, secrets and the network. */
  stop(): Promise<void>;
}

/** More open files than this machine may have is what podman gives containers by itself. */
const SETTINGS = '[containers]\ndefault_ulimits = ["nofile=16384:16384", "nproc=8192:8192"]\n';
const settings = join(tmpdir(), `containers-${randomBytes(4).toString('hex')}.conf`);

const podman = (args: readonly string[], input = ''): Promise<Run> =>
  new Promise((resolve) => {
    // The image's health check would need systemd's timers; the tests ask the chart's probes themselves.
    const env = { ...process.env, CONTAINERS_CONF: settings, DISABLE_HC_SYSTEMD: 'true' };
    const options = { env, maxBuffer: 32 * 1024 * 1024 };
    const child = execFile('podman', ['--runtime', 'runc', ...args], options, (error, out, err) =>
      resolve({ code: error === null ? 0 : Number(error.code ?? -1), out, err: err || (error?.message ?? '') }),
    );
    child.stdin?.on('error', () => undefined); // It may end without having read.
    child.stdin?.end(input);
  });

async function must(args: readonly string[], input?: string): Promise<string> {
  const { code, out, err } = await podman(args, input);
  if (code !== 0) throw new Error(`podman ${args.join(' ')}: ${err || out}`);
  return out.trim();
}

/** Opens a playground; `image` is any that has node. */
export async function openPlayground(image: string): Promise<Playground> {
  const network = `turnpike-${randomBytes(4).toString('hex')}`;
  const played: string[] = [];
  const [secrets, claims]: [string[], string[]] = [[], []];
  const servers: Server[] = [];
  const sockets = new Set<Socket>();
  await writeFile(settings, SETTINGS);
  await must(['network', 'create', network]);
  // A network has its gateway's address once a container is on it.
  const idle = ['--entrypoint', 'node', image, '-e', 'setInterval(() => undefined, 1e6)'];
  await must(['run', '--detach', '--name', `${network}-idle`, '--network', network, ...idle]);
  const gateway = await must(['network', 'inspect', network, '--format', '{{(index .Subnets 0).Gateway}}']);

  async function stop(): Promise<void> {
    for (const text of played.toReversed()) await podman(['kube', 'down', '-'], text);
    await podman(['rm', '--force', '--time', '1', `${network}-idle`]);
    // A Secret that was mounted is a volume besides.
    if (secrets.length > 0) await podman(['volume', 'rm', '--force', ...secrets, ...claims]);
    if (secrets.length > 0) await podman(['secret', 'rm', ...secrets]);
    await podman(['network', 'rm', '--force', network]);
    for (const socket of sockets) socket.destroy();
    await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
    await rm(settings, { force: true });
  }

  return {
    ...{ gateway, podman, stop },
    async play(objects) {
      const text = objects.map((object) => stringify(object)).join('---\n');
      played.push(text);
      const isClaim = ({ kind }: KubernetesObject) => kind === 'PersistentVolumeClaim';
      claims.push(...objects.filter(isClaim).map(({ metadata }) => metadata.name));
      await must(['kube', 'play', '--network', network, '-'], text);
    },
    async secret(name, data) {
      secrets.push(name);
      const file = `${settings}.secret`; // It takes a pipe or a file, and Node's standard input is a socket.
      await writeFile(file, stringify({ data }), { mode: 0o600 });
      await must(['secret', 'create', name, file]).finally(() => rm(file));
    },
    async expose(target) {
      const server = createServer((socket) => {
        const host = decodeURIComponent(target.hostname);
        // A test's PostgreSQL listens in a folder.
        const onward = host.startsWith('/')
          ? connect(join(host, `.s.PGSQL.${target.port}`))
          : connect(Number(target.port), host);
        for (const each of [socket, onward]) {
          sockets.add(each);
          each.on('error', () => (socket.destroy(), onward.destroy()));
          each.on('close', () => (sockets.delete(each), socket.destroy(), onward.destroy()));
        }
        socket.pipe(onward);
        onward.pipe(socket);
      });
      servers.push(server);
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen(0, gateway, resolve);
      });
      return `${gateway}:${String((server.address() as AddressInfo).port)}`;
    },
    async addressOf(pod) {
      const infra = await until(async () => {
        const { out } = await podman(['pod', 'inspect', pod, '--format', '{{.InfraContainerID}}']);
        return out.trim();
      });
      return must(['inspect', infra, '--format', `{{(index .NetworkSettings.Networks "${network}").IPAddress}}`]);
    },
  };
}
