// Bad days of the database: its server is killed, falls silent, or has lost its synchronous standby.

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { copyFiles, makeReplica } from '../../../scripts/postgres-copies.ts';
import type { ChaosDatabase } from '../../processes/database.ts';
import { waitUntil } from '../../processes/wait.ts';
import type { BadDay } from '../bad-day.ts';
import { USUAL, type Setting } from '../setting.ts';

const PRIMARY_KILLED: BadDay = {
  name: 'primary-killed',
  title: 'The database server is killed with SIGKILL, and started again',
  remedy: 'Start it, or promote the standby; do not restart the processes, which reconnect by themselves',
  alerts: ['DatabaseAway'],
  setting: USUAL,
  cause: async ({ deployment: { database } }) => {
    await database.crash();
    return { mend: () => database.resume() };
  },
};

const DATABASE_SILENT: BadDay = {
  name: 'database-silent',
  title: 'The database server is stopped (SIGSTOP): connections stay open, and nothing answers',
  remedy: 'Let it go on, or kill it and promote the standby',
  alerts: ['DatabaseAway'],
  setting: USUAL,
  cause: async ({ deployment: { database } }) => {
    const thaw = database.freeze();
    return { mend: async () => thaw() };
  },
};

const REPLICA_WITHIN_MS = 120_000;

/** A primary whose commits wait for its standby. */
const WITH_STANDBY: Setting<{ standby: ChaosDatabase | null }> = {
  prepare: ({ folder }) => {
    const tools: { standby: ChaosDatabase | null } = { standby: null };
    return {
      tools,
      async arrange(primary, startServer) {
        const dataDir = join(folder, 'standby');
        await mkdir(dataDir, { mode: 0o711 }); // PostgreSQL runs as another user if we are root.
        await primary.pause();
        const copy = await copyFiles(primary.dataDir);
        await primary.resume();
        await makeReplica(dataDir, copy, primary.url);
        tools.standby = await startServer(dataDir);
        await primary.rows(`alter system set synchronous_standby_names = '*'`);
        await primary.rows('select pg_reload_conf()');
        await waitUntil('the standby is synchronous', REPLICA_WITHIN_MS, async () => {
          const rows = await primary.rows(`select from pg_stat_replication where sync_state = 'sync'`);
          return rows.length > 0 ? true : null;
        });
      },
    };
  },
};

const STANDBY_AWAY: BadDay<{ standby: ChaosDatabase | null }> = {
  name: 'standby-away',
  title: 'The only synchronous standby is killed, and started again',
  remedy:
    "Start the standby. If it is lost: `alter system set synchronous_standby_names = ''` and a reload, until there is another",
  alerts: ['DatabaseAway', 'StandbyGone'],
  setting: WITH_STANDBY,
  cause: async (_scene, { standby }) => {
    await standby?.crash();
    return { mend: async () => standby?.resume() };
  },
};

export const DATABASE_DAYS: readonly BadDay[] = [PRIMARY_KILLED, DATABASE_SILENT];
export const STANDBY_DAYS: readonly BadDay[] = [STANDBY_AWAY];
