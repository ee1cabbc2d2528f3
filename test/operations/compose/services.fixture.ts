// Stand-ins for the public images of deploy/compose.yaml, which no registry gives here: the same programs from Debian's
// packages, behind the same commands.

import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeTestFolder } from '../../support/database/database.ts';
import { runContainerTool } from '../containers.fixture.ts';

const PACKAGES = [
  'haproxy',
  'postgresql-15',
  'redis-server',
  'prometheus',
  'prometheus-alertmanager',
  'dash',
  'coreutils',
];

/** What the public image of PostgreSQL does at its first start. */
const POSTGRES_ENTRY = `#!/bin/sh
set -eu
export PATH=/usr/lib/postgresql/15/bin:/usr/bin:/bin
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  initdb -D "$PGDATA" -U "$POSTGRES_USER" --pwfile="$POSTGRES_PASSWORD_FILE" --auth=scram-sha-256 --no-locale -E UTF8
  echo 'host all all all scram-sha-256' >>"$PGDATA/pg_hba.conf"
  echo "create database $POSTGRES_DB" | postgres --single -D "$PGDATA" postgres
fi
exec postgres -D "$PGDATA" -c listen_addresses='*' -c unix_socket_directories=''
`;

/** The variables of the compose file with the names of the images; makes them if they are not there. */
export async function buildServices(): Promise<Readonly<Record<string, string>>> {
  const images = {
    HAPROXY_IMAGE: 'localhost/turnpike-test-haproxy',
    POSTGRES_IMAGE: 'localhost/turnpike-test-postgres',
    REDIS_IMAGE: 'localhost/turnpike-test-redis',
    PROMETHEUS_IMAGE: 'localhost/turnpike-test-prometheus',
    ALERTMANAGER_IMAGE: 'localhost/turnpike-test-alertmanager',
  };
  const made = Object.values(images).map((image) => runContainerTool('buildah', ['inspect', '--type=image', image]));
  if ((await Promise.allSettled(made)).every(({ status }) => status === 'fulfilled')) return images;
  const folder = await makeTestFolder('services');
  const root = join(folder, 'root');
  const include = `--include=${PACKAGES.join(',')}`;
  await runContainerTool('mmdebstrap', [
    '--quiet',
    '--variant=extract',
    '--format=directory',
    include,
    'bookworm',
    root,
  ]);
  await rm(join(root, 'dev'), { recursive: true, force: true });
  await writeFile(join(root, 'etc/passwd'), 'root:x:0:0:root:/:/bin/sh\npostgres:x:999:999::/:/bin/sh\n');
  await writeFile(join(root, 'etc/group'), 'root:x:0:\npostgres:x:999:\n');
  await writeFile(join(root, 'postgres-entry'), POSTGRES_ENTRY, { mode: 0o755 });
  for (const path of ['tmp', 'prometheus', 'alertmanager']) await mkdir(join(root, path), { recursive: true });
  const container = await runContainerTool('buildah', ['from', 'scratch']);
  await runContainerTool('buildah', ['add', '--quiet', container, root, '/']);
  const commit = async (image: string, ...config: readonly string[]) => {
    await runContainerTool('buildah', ['config', '--entrypoint', '[]', '--user', '0', ...config, container]);
    await runContainerTool('buildah', ['commit', '--quiet', '--format=docker', container, image]);
  };
  const path = '--env=PATH=/usr/sbin:/usr/bin:/sbin:/bin';
  await commit(images.HAPROXY_IMAGE, path);
  await commit(images.REDIS_IMAGE, path);
  await commit(images.PROMETHEUS_IMAGE, '--entrypoint', '["prometheus"]');
  await commit(images.ALERTMANAGER_IMAGE, '--entrypoint', '["prometheus-alertmanager"]');
  const own = ['mkdir', '-p', '-m', '700', '/var/lib/postgresql/data'];
  await runContainerTool('buildah', ['run', container, '--', ...own]);
  await runContainerTool('buildah', ['run', container, '--', 'chown', '999:999', '/var/lib/postgresql/data']);
  await commit(images.POSTGRES_IMAGE, '--entrypoint', '["/postgres-entry"]', '--user', '999:999');
  await runContainerTool('buildah', ['rm', container]);
  await rm(folder, { recursive: true, force: true });
  return images;
}
