// Alerts are fired by their causes: parts of a deployment are broken one by one, and the alert reaches Alertmanager.

import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { LEADER_LOCK } from '../../../src/database/queries/events/number-events.ts';
import { USDT_PAYMENT } from '../../support/clients.ts';
import { dataOf } from '../../support/expectations.ts';
import { findFreePort } from '../../support/gateway/gateway.ts';
import { until } from '../../support/until.ts';
import { startDeployment, type Deployment } from './causes.fixture.ts';
import { PATIENCE_MS, startMonitoring, type Monitoring } from './prometheus.fixture.ts';

const ADDRESS = '0x52908400098527886E0F7030069857D2E4169EE7';

let deployment: Deployment;
let monitoring: Monitoring;

beforeAll(async () => {
  deployment = await startDeployment();
  const { gateway, api, folder } = deployment;
  monitoring = await startMonitoring(join(folder, 'monitoring'), [
    { role: 'all', url: gateway.url },
    { role: 'api', url: api.url },
  ]);
});
afterAll(async () => {
  await monitoring?.stop();
  await deployment?.stop();
});

const hostOf = (url: string) => new URL(url).host;

/** Creates an order and pays it, which causes events. */
async function pay(): Promise<void> {
  const { shop } = deployment;
  const { orderId } = dataOf(await shop.rest('POST', '/payments', USDT_PAYMENT), 201) as { orderId: string };
  dataOf(await shop.rest('POST', `/sandbox/payments/${orderId}/deposit`, {}), 200);
}

it('a machine with a wrong clock, and a certificate that expires', async () => {
  const instance = hostOf(deployment.api.url);
  const skewed = await monitoring.fired('ClockSkewed', { instance });
  expect(skewed.annotations['summary']).toMatch(/differs from that of the database by (59m|1h)/);
  const ends = await monitoring.fired('CertificateEnds', { instance });
  expect(ends.annotations).toMatchObject({
    runbook_url: 'https://git.example.com/turnpike/docs/operations/alerts/CertificateEnds.md',
  });
  expect(ends.labels).not.toHaveProperty('runbooks');
});

it('a chain whose node shows no new block', async () => {
  await monitoring.fired('ChainStandsStill', { network: 'POLYGON' });
});

it('a payout that costs too much is held, then stuck; the hot wallet is low, and a gas wallet is empty', async () => {
  const { shop } = deployment;
  const payment = { currency: 'ETH', network: 'ETH', amount: '1' };
  const { orderId } = dataOf(await shop.rest('POST', '/payments', payment), 201) as { orderId: string };
  dataOf(await shop.rest('POST', `/sandbox/payments/${orderId}/deposit`, {}), 200);
  await until(async () => dataOf(await shop.rest('GET', `/payments/${orderId}`)).status === 'SUCCEEDED');
  const order = { currency: 'ETH', network: 'ETH', amount: '0.5', address: ADDRESS };
  dataOf(await shop.rest('POST', '/wallet/withdraw', order), 201);
  await monitoring.fired('PayoutsHeld', { reason: 'TOO_EXPENSIVE' });
  await monitoring.fired('HotWalletLow', { network: 'ETH', currency: 'ETH' });
  await monitoring.fired('PayoutsStuck', { network: 'ETH' });
  await monitoring.fired('GasWalletLow', { network: 'POLYGON' });
});

it('webhooks that no receiver accepts are given up', async () => {
  const { shop } = deployment;
  const url = `http://127.0.0.1:${await findFreePort()}/hook`;
  dataOf(await shop.rest('PUT', '/merchant/webhook', { url }));
  await until(async () => {
    await pay();
    const names = (await monitoring.alerts()).map(({ labels }) => labels['alertname']);
    return names.includes('DeliveriesFailing') && names.includes('DeliveriesExhausted');
  }, PATIENCE_MS);
});

it('events that are not numbered, because another session holds the lock of the leader', async () => {
  const release = await deployment.hold(`select pg_advisory_xact_lock(${LEADER_LOCK})`);
  await pay();
  await monitoring.fired('EventNumberingLags');
  await release();
  await monitoring.over('EventNumberingLags');
});

it('events without deliveries, and a loop that stalls, because another session holds a table', async () => {
  const release = await deployment.hold('lock table relay_cursor in exclusive mode');
  await pay();
  await monitoring.fired('EventRelayLags');
  await monitoring.fired('LoopStandsStill', { loop: 'relay' });
  await release();
  await monitoring.over('EventRelayLags');
});

it('deliveries that no dispatcher can claim, because another session holds the claims', async () => {
  const release = await deployment.hold('lock table webhook_claim in access exclusive mode');
  await pay();
  await monitoring.fired('DeliveriesLate');
  await release();
});

it('a loop that fails, and calls that are answered with internal errors', async () => {
  const { gateway, shop } = deployment;
  await gateway.sql('alter table webhook_lane rename to webhook_lane_away');
  await gateway.sql('alter table webhook_delivery rename to webhook_delivery_away');
  await monitoring.fired('LoopFailing', { loop: 'send-webhooks' });
  await until(async () => {
    const { status } = await shop.rest('GET', '/webhooks/deliveries');
    expect(status).toBe(500);
    return (await monitoring.alerts()).some(({ labels }) => labels['alertname'] === 'CallsFailing');
  }, PATIENCE_MS);
  await gateway.sql('alter table webhook_lane_away rename to webhook_lane');
  await gateway.sql('alter table webhook_delivery_away rename to webhook_delivery');
  await monitoring.over('LoopFailing');
});

it('a pool without a free connection', async () => {
  const { pool } = deployment.gateway.deps.db;
  const held = await Promise.all(Array.from({ length: pool.options.max }, () => pool.connect()));
  await monitoring.fired('DatabasePoolExhausted', { instance: hostOf(deployment.gateway.url) });
  for (const client of held) client.release();
  await monitoring.over('DatabasePoolExhausted');
});

it('addresses that run out', async () => {
  await deployment.gateway.sql('update derivation_account set next_index = 2000000000');
  await monitoring.fired('AddressesRunOut');
});

it('a book whose rules are violated', async () => {
  await deployment.gateway.sql(
    `update ledger_account set balance = balance + 1 where id = (select min(id) from ledger_account)`,
  );
  await monitoring.fired('LedgerFault');
  await deployment.gateway.sql(
    `update ledger_account set balance = balance - 1 where id = (select min(id) from ledger_account)`,
  );
  await monitoring.over('LedgerFault');
});

it('one of two nodes away, then both', async () => {
  const [first, second] = deployment.nodes;
  await first?.stop();
  await monitoring.fired('NodeDown', { node: 'POLYGON node 1' });
  await second?.stop();
  await monitoring.fired('NetworkUnavailable', { network: 'POLYGON' });
});

it('Redis away', async () => {
  await deployment.redis.stop();
  await monitoring.fired('RedisAway', { instance: hostOf(deployment.gateway.url) });
});

it('a database that one process cannot reach, while the other can; then the process ends', async () => {
  const { api, gateway } = deployment;
  const end = api.database.fallSilent();
  const instance = hostOf(api.url);
  await monitoring.fired('DatabaseAway', { instance });
  const away = (await monitoring.alerts()).filter(({ labels }) => labels['alertname'] === 'DatabaseAway');
  expect(away.map(({ labels }) => labels['instance'])).not.toContain(hostOf(gateway.url));
  end();
  await monitoring.over('DatabaseAway');
  await api.program.kill();
  await monitoring.fired('ProcessDown', { instance });
});
