// What `npm run doctor` says of the database: each planted fault of the server, the role and the pooler is found.

import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { startPgBouncer, versionOfPgBouncer } from '../../gateway/pgbouncer.fixture.ts';
import { createTestDatabase } from '../../support/database/database.ts';
import { until } from '../../support/until.ts';
import { ALTER_ROLE, openDeployment, withRoleSetting, type Deployment } from './deployment.fixture.ts';
import { findingsOf, reportOf, textsOf, type Variables } from './run.fixture.ts';

jest.setTimeout(300_000);

let deployment: Deployment;
let well: Variables;
beforeAll(async () => {
  deployment = await openDeployment();
  well = { ...deployment.variables, ROLES: 'dispatcher', METRICS_PORT: '1' };
  for (const name of ['KEYSTORE_PATH', 'KEYSTORE_PASSPHRASE']) Reflect.deleteProperty(well, name);
});
afterAll(() => deployment.stop());

/** With a statement run before, and one after that takes it back. */
async function planted(before: string, after: string, look: () => Promise<void>): Promise<void> {
  await deployment.server.sql(before);
  try {
    await look();
  } finally {
    await deployment.server.sql(after);
  }
}

describe('the server', () => {
  it('that cannot be reached is a fault, without its password, and what needs it is not checked', async () => {
    const url = 'postgresql://turnpike:mT4wq9XzB2kLr7Vn@127.0.0.1:1/turnpike';
    const report = await reportOf({ ...well, DATABASE_URL: url });
    expect(textsOf(report.rows, 'database')).toEqual([expect.stringMatching(/^fault: .*ECONNREFUSED/)]);
    expect(report.notMade).toEqual(expect.arrayContaining(['schema', 'role', 'backup', 'webhooks']));
    expect(JSON.stringify(report)).not.toContain('mT4wq9XzB2kLr7Vn');
  });

  it('that gives read-only transactions is a fault', () =>
    withRoleSetting(deployment, 'default_transaction_read_only', 'on', async () => {
      expect(await findingsOf('database', well)).toEqual(['fault: transactions are read-only there']);
    }));

  it('that does not wait for its disk is a fault', async () => {
    const database = await createTestDatabase(); // Those of tests are not durable.
    try {
      const found = await findingsOf('commits', { ...well, DATABASE_URL: database.url });
      expect(found).toEqual([
        expect.stringMatching(/^fault: fsync is off/),
        expect.stringMatching(/^fault: full_page_writes is off/),
      ]);
    } finally {
      await database.drop();
    }
  });

  it('whose schema is missing is a fault where the start does not migrate, and else a warning', async () => {
    await deployment.server.sql('create database empty');
    const url = Object.assign(new URL(deployment.urlOf(deployment.server)), { pathname: '/empty' }).href;
    const env = { ...well, DATABASE_URL: url };
    expect(await findingsOf('schema', env)).toEqual([
      expect.stringMatching(/^warning: is empty, and Turnpike .* needs schema \d+$/),
    ]);
    const report = await reportOf({ ...env, MIGRATE_AT_START: 'false' });
    expect(textsOf(report.rows, 'schema')).toEqual([expect.stringMatching(/^fault: is empty/)]);
    expect(report.notMade).toEqual(['cell', 'webhooks']);
  });
});

describe('the role', () => {
  it.each([
    ['superuser', 'nosuperuser', 'fault', 'is a superuser'],
    ['createdb', 'nocreatedb', 'warning', 'has CREATEDB'],
  ])('with the right %s', (right, back, state, text) =>
    planted(`${ALTER_ROLE} ${right}`, `${ALTER_ROLE} ${back}`, async () => {
      expect(await findingsOf('role', well)).toEqual([expect.stringMatching(`^${state}: turnpike_app ${text}`)]);
    }),
  );

  it('that owns the tables, though it does not migrate', async () => {
    expect(await findingsOf('role', well)).toEqual(['ok: turnpike_app owns the tables, and migrates them']);
    const found = await findingsOf('role', { ...well, MIGRATE_AT_START: 'false' });
    expect(found).toEqual([expect.stringMatching(/^warning: turnpike_app owns the tables/)]);
  });

  it('whose statements are cut off', () =>
    withRoleSetting(deployment, 'statement_timeout', "'5s'", async () => {
      expect(await findingsOf('timeouts', well)).toEqual([expect.stringMatching(/^warning: statement_timeout is 5 s/)]);
    }));

  it('with fewer connections than its processes may open', async () => {
    expect(await findingsOf('connections', { ...well, DATABASE_POOL_MAX: '1000' })).toEqual([
      expect.stringMatching(/^fault: .*room for 0 processes of 1000 each/),
    ]);
    expect(await findingsOf('connections', well, '--processes', '50')).toEqual([
      expect.stringMatching(/^fault: .*and 50 are needed$/),
    ]);
    expect(await findingsOf('connections', well, '--processes', '2')).toEqual([expect.stringMatching(/^ok: /)]);
  });
});

const version = versionOfPgBouncer();
if (version === null) {
  it('a pooler was not tested: there is no pgbouncer here, and there must be one in CI', () => {
    expect(process.env['CI']).toBeUndefined();
  });
} else {
  it(`PgBouncer ${version} that does not know prepared statements, with the role's settings missing`, async () => {
    const bouncer = await startPgBouncer(deployment.urlOf(deployment.server));
    try {
      const env: Variables = { ...well, DATABASE_URL: bouncer.url, DATABASE_POOLER: 'true' };
      expect(await findingsOf('pooler', env)).toEqual([
        'warning: migrations go through it',
        expect.stringMatching(/^warning: locks of a process that is cut off/),
        ...(version.startsWith('1.18') ? ['fault: does not pass prepared statements on: calls fail'] : []),
      ]);
      const direct = { ...env, DATABASE_DIRECT_URL: 'postgresql://turnpike@127.0.0.1:1/turnpike' };
      expect(await findingsOf('pooler', direct)).toContainEqual(
        expect.stringMatching(/^fault: DATABASE_DIRECT_URL: .*ECONNREFUSED/),
      );
    } finally {
      await bouncer.stop();
    }
  });

  it(`PgBouncer ${version} as it should be, and commits that are not`, async () => {
    const set = (name: string, value: string) => deployment.server.sql(`${ALTER_ROLE} set ${name} = '${value}'`);
    await set('idle_in_transaction_session_timeout', '30s');
    await set('synchronous_commit', 'off');
    const bouncer = await startPgBouncer(deployment.urlOf(deployment.server));
    const env = {
      ...{ ...well, DATABASE_URL: bouncer.url, DATABASE_DIRECT_URL: deployment.urlOf(deployment.server) },
      ...{ DATABASE_POOLER: 'true', DATABASE_PREPARED_STATEMENTS: 'false' },
    };
    try {
      const { rows } = await reportOf(env);
      expect(textsOf(rows, 'pooler')).toEqual(['ok: statements are sent without names']);
      expect(textsOf(rows, 'commits')).toEqual([
        expect.stringMatching(/^fault: synchronous_commit is off behind a pooler/),
      ]);
    } finally {
      await bouncer.stop();
      for (const name of ['idle_in_transaction_session_timeout', 'synchronous_commit'])
        await deployment.server.sql(`${ALTER_ROLE} reset ${name}`);
    }
  });
}

describe('what saves it', () => {
  it('a standby: it is seen, refused as the database, and missed where commits wait for it', async () => {
    const standby = await deployment.servers.replicaOf(deployment.server);
    const env = { ...well, DATABASE_URL: deployment.urlOf(deployment.server) };
    await until(async () => (await findingsOf('replication', env)).some((text) => /^ok: 1 connected/.test(text)));
    expect(await findingsOf('database', { ...env, DATABASE_URL: deployment.urlOf(standby) })).toEqual([
      'fault: it is a standby, on which nothing can be written',
    ]);
    await standby.stop();
    await deployment.server.sql(`alter system set synchronous_standby_names = 'nobody'`);
    await deployment.server.sql('select pg_reload_conf()');
    try {
      await until(async () =>
        (await findingsOf('replication', env)).some((text) => /^fault: no synchronous standby is connected/.test(text)),
      );
    } finally {
      await deployment.server.sql('alter system reset synchronous_standby_names');
      await deployment.server.sql('select pg_reload_conf()');
    }
  });

  it('the archive of its log: it is off, it fails, and it works', async () => {
    const { server } = deployment;
    await server.sql('alter system set archive_mode = on');
    await server.sql(`alter system set archive_command = '/bin/false'`);
    await server.stop();
    await server.start();
    const env = { ...well, DATABASE_URL: deployment.urlOf(server) };
    const fill = () => server.sql('select pg_create_restore_point($$doctor$$), pg_switch_wal()');
    expect(await findingsOf('backup', env)).toEqual(['warning: nothing was archived yet']);
    await fill();
    await until(
      async () => (await findingsOf('backup', env)).some((text) => /^fault: archiving the log fails/.test(text)),
      180_000,
    );
    await server.sql(`alter system set archive_command = '/bin/true'`);
    await server.sql('select pg_reload_conf()');
    await fill();
    await until(
      async () => (await findingsOf('backup', env)).some((text) => /^ok: the log was last archived/.test(text)),
      180_000,
    );
  });
});
