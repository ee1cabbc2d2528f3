// What `npm run doctor` says of the replicas that lists are read from.

import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { connectDatabase } from '../../../src/database/connection.ts';
import { recordCluster } from '../../../src/domain/witness/cluster.ts';
import type { OwnServer } from '../../support/database/replica.ts';
import { untilPasses } from '../../support/until.ts';
import { log, openDeployment, type Deployment } from './deployment.fixture.ts';
import { findingsOf, type Variables } from './run.fixture.ts';

jest.setTimeout(300_000);

let deployment: Deployment;
let standby: OwnServer;
let well: Variables;

/** As a gateway does when it starts, and when the server was restarted. */
async function record(): Promise<void> {
  const db = await connectDatabase({ url: deployment.server.url(), poolMax: 2, log });
  await recordCluster({ db, log }).finally(() => db.close());
}

beforeAll(async () => {
  deployment = await openDeployment();
  standby = await deployment.servers.replicaOf(deployment.server);
  await record();
  const { server, urlOf } = deployment;
  well = { ...deployment.variables, DATABASE_URL: urlOf(server), DATABASE_READ_URLS: urlOf(standby), ROLES: 'api' };
  for (const name of ['KEYSTORE_PATH', 'KEYSTORE_PASSPHRASE']) Reflect.deleteProperty(well, name);
});
afterAll(() => deployment.stop());

it('without any, all is read from the primary; other roles read nothing there', async () => {
  expect(await findingsOf('replicas', { ...well, DATABASE_READ_URLS: '' })).toEqual([
    'ok: not used: everything is read from the primary',
  ]);
  expect(await findingsOf('replicas', { ...well, ROLES: 'dispatcher', METRICS_PORT: '1' })).toEqual([]);
});

it('one that follows has everything', async () => {
  await untilPasses(async () =>
    expect(await findingsOf('replicas', well)).toEqual([expect.stringMatching(/^ok: .* has everything$/)]),
  );
});

it('one that is away and one that is no standby are warnings, each by its host', async () => {
  const urls = ['postgresql://turnpike_app:mT4wq9XzB2kLr7Vn@127.0.0.1:1/turnpike', deployment.urlOf(deployment.server)];
  expect(await findingsOf('replicas', { ...well, DATABASE_READ_URLS: urls.join(',') })).toEqual([
    expect.stringMatching(/^warning: 127.0.0.1:1 is not read from: it does not answer: .*ECONNREFUSED/),
    expect.stringMatching(/^warning: .* is not read from: it is no standby/),
  ]);
});

it('one that has not replayed what was written for long is behind', async () => {
  await standby.sql('select pg_wal_replay_pause()');
  await deployment.server.sql('create table written as select generate_series(1, 1000)');
  await untilPasses(async () =>
    expect(await findingsOf('replicas', well)).toEqual([
      expect.stringMatching(/^warning: .* is \d+(\.\d)? [kM]?B behind, by [1-9]\d+ s$/),
    ]),
  );
  await standby.sql('select pg_wal_replay_resume()');
});

it('one that does not know the present run of the primary is a warning', async () => {
  await standby.stop();
  await deployment.server.stop();
  await deployment.server.start();
  await standby.start();
  expect(await findingsOf('replicas', well)).toEqual([
    expect.stringMatching(/^warning: .* is not read from: it has not seen the present run of the primary yet/),
  ]);
  await record();
  await untilPasses(async () =>
    expect(await findingsOf('replicas', well)).toEqual([expect.stringMatching(/^ok: .* has everything$/)]),
  );
});
