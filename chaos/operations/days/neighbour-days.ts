// Bad days of what the gateway leans on besides: Redis, the resolver of names, and the machine's clock.

import { writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../../scripts/free-port.ts';
import { findRedis, startRedis, type RedisServer } from '../../../test/server/admission/redis-server.fixture.ts';
import type { BadDay, Setting } from '../bad-day.ts';

const WITH_REDIS: Setting<RedisServer> = {
  missing: () => (findRedis() === undefined ? 'there is no Redis; Debian has it in redis-tools' : null),
  prepare: async ({ folder, onClose }) => {
    const redis = await startRedis(findRedis() ?? '', folder, await freePort());
    onClose(() => redis.stop());
    const variables = { REDIS_URL: redis.url, RATE_LIMIT_PER_SECOND: '1000', RATE_LIMIT_BURST: '1000' };
    return { tools: redis, variablesOf: (name) => (name.startsWith('api') ? variables : {}) };
  },
};

const REDIS_SILENT: BadDay<RedisServer> = {
  name: 'redis-silent',
  title: 'The Redis of the rate limits takes questions, and answers none',
  remedy: 'Bring it back; it holds nothing that has to be restored',
  alerts: ['RedisAway'],
  setting: WITH_REDIS,
  cause: async (_scene, redis) => {
    redis.freeze();
    return { mend: async () => redis.thaw() };
  },
};

const FAKETIME = '/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1';

/** Sets the clock of every process of the gateway, and of nothing else: `+1h`, or `+0` for the true time. */
type SetClock = (offset: string) => Promise<void>;

const WITH_OWN_CLOCK: Setting<SetClock> = {
  missing: () => (existsSync(FAKETIME) ? null : 'there is no libfaketime; Debian has it in faketime'),
  prepare: async ({ folder }) => {
    const file = join(folder, 'clock');
    const set: SetClock = (offset) => writeFile(file, `${offset}\n`);
    await set('+0');
    const variables = {
      ...{ LD_PRELOAD: FAKETIME, FAKETIME_TIMESTAMP_FILE: file, FAKETIME_CACHE_DURATION: '1' },
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    };
    return { tools: set, variablesOf: () => variables };
  },
};

const stepped = (direction: 'forward' | 'back', offset: string): BadDay<SetClock> => ({
  name: `clock-${direction}`,
  title: `The clock of the gateway's machines steps ${direction} by an hour, and returns`,
  remedy: 'Repair the time synchronisation; nothing has to be restarted',
  alerts: ['ClockSkewed'],
  setting: WITH_OWN_CLOCK,
  cause: async (_scene, setClock) => {
    await setClock(offset);
    return { mend: () => setClock('+0') };
  },
});

export const REDIS_DAYS: readonly BadDay[] = [REDIS_SILENT];
export const CLOCK_DAYS: readonly BadDay[] = [stepped('forward', '+1h'), stepped('back', '-1h')];
