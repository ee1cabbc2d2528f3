// Bad days of what the gateway leans on besides: Redis, the resolver of names, and the machine's clock.

import { writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../../scripts/free-port.ts';
import { findRedis, startRedis, type RedisServer } from '../../../test/server/admission/redis-server.fixture.ts';
import { isRoot } from '../../../src/sandbox/postgres/os-account.ts';
import { Violation } from '../../invariants/violation.ts';
import type { BadDay } from '../bad-day.ts';
import type { Setting } from '../setting.ts';
import { waitUntil } from '../../processes/wait.ts';
import type { Deployment } from '../deployment.ts';
import { PROCESSES } from '../setting.ts';
import { startNameServer, type NameServer } from '../name-server.ts';

/** How long it may take until the gateway's metrics show a fault. */
const NOTICED_WITHIN_MS = 60_000;

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
  cause: async ({ deployment: { readMetric } }, redis) => {
    const untilUp = (what: string, up: number) =>
      waitUntil(what, NOTICED_WITHIN_MS, async () =>
        (await readMetric('api 1', 'turnpike_redis_up')) === up ? true : null,
      );
    await untilUp('the API has its Redis', 1);
    redis.freeze();
    await untilUp('the API misses its Redis', 0);
    return { mend: async () => redis.thaw() };
  },
};

/** Of this run alone, on loopback. */
const NAME_SERVER = '127.0.0.153';

/** The dispatcher sees a resolv.conf of its own, and the receiver of webhooks has a name. */
const WITH_NAMES: Setting<NameServer> = {
  missing: () => (isRoot() ? null : 'only root may give a process a resolv.conf of its own (unshare --mount)'),
  prepare: async ({ folder, onClose }) => {
    const server = await startNameServer(NAME_SERVER);
    onClose(() => server.stop());
    const file = join(folder, 'resolv.conf');
    await writeFile(file, `nameserver ${NAME_SERVER}\n`);
    const mount = ['sh', '-c', 'mount --bind "$0" /etc/resolv.conf && exec "$@"', file, process.execPath];
    const command = ['unshare', '--mount', ...mount];
    return {
      tools: server,
      receiverHost: 'hooks.shop.test',
      commandOf: (name) => (name === 'dispatcher' ? command : [process.execPath]),
    };
  },
};

/** Attempts that ended before a receiver was found. */
const UNRESOLVED = `select count(*)::int as count from webhook_attempt where error ~ '^(dns|timeout)'`;

const NAMES_AWAY: BadDay<NameServer> = {
  name: 'names-away',
  title: 'The resolver of names answers no question, and the dispatcher is started anew, without open connections',
  remedy: 'Repair it; webhooks are tried again by their schedule, and `POST /webhooks/resend` sends those given up',
  alerts: ['DeliveriesFailing', 'DeliveriesExhausted'],
  setting: WITH_NAMES,
  seconds: (short) => (short ? 12 : 60),
  cause: async ({ deployment: { database, programs }, note }, server) => {
    const failed = async () => (await database.rows<{ count: number }>(UNRESOLVED))[0]?.count ?? 0;
    const before = await failed();
    const answerAgain = server.fallSilent();
    await programs.dispatcher.kill();
    await programs.dispatcher.start();
    return {
      async mend() {
        const attempts = (await failed()) - before;
        if (attempts === 0) throw new Violation('no webhook missed its receiver: the fault was none');
        answerAgain();
        note(`${attempts} attempts of webhooks found no receiver`);
      },
    };
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
  cause: async ({ deployment, note }, setClock) => {
    await setClock(offset);
    const skew = await untilSkewed(deployment);
    note(`the dispatcher's clock differed by ${skew.toFixed(0)} s from the database's`);
    return { mend: () => setClock('+0') };
  },
});

const LEAST_SKEW_SECONDS = 3_000;

/** Resolves once every process sees the other time, to the dispatcher's difference in seconds. */
async function untilSkewed({ readMetric }: Deployment): Promise<number> {
  return waitUntil('every clock has stepped', NOTICED_WITHIN_MS, async () => {
    const skews = await Promise.all(PROCESSES.map((name) => readMetric(name, 'turnpike_clock_skew_seconds')));
    const isStepped = skews.every((skew) => Math.abs(skew) > LEAST_SKEW_SECONDS);
    return isStepped ? (skews[PROCESSES.indexOf('dispatcher')] ?? 0) : null;
  });
}

export const NAME_DAYS: readonly BadDay[] = [NAMES_AWAY];
export const REDIS_DAYS: readonly BadDay[] = [REDIS_SILENT];
export const CLOCK_DAYS: readonly BadDay[] = [stepped('forward', '+1h'), stepped('back', '-1h')];
