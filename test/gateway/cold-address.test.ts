// A cold address is checked before anything is paid to it: it must be valid on its network, and not be ours.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ConfigError } from '../../src/config/config.ts';
import { newMerchant, USDT_PAYMENT } from '../support/clients.ts';
import { createTestDatabase } from '../support/database/database.ts';
import { dataOf } from '../support/expectations.ts';
import { startTestGateway } from '../support/gateway/gateway.ts';
import { until } from '../support/until.ts';

let database: Awaited<ReturnType<typeof createTestDatabase>>;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

/** The messages with which a start is refused. */
async function refusalOf(variables: Readonly<Record<string, string>>): Promise<string> {
  const started = await startTestGateway(variables).catch((error: unknown) => error);
  if (started instanceof ConfigError) return started.message;
  if (started instanceof Error) throw started;
  throw new Error('It started');
}

describe('a cold address', () => {
  it('that is invalid on its network stops the start, and all are named at once', async () => {
    const said = await refusalOf({
      ETH_COLD_ADDRESS: 'nowhere',
      TRON_COLD_ADDRESS: '0x52908400098527886E0F7030069857D2E4169EE7',
    });
    expect(said).toContain('ETH_COLD_ADDRESS: nowhere is no address on that network');
    expect(said).toContain(
      'TRON_COLD_ADDRESS: 0x52908400098527886E0F7030069857D2E4169EE7 is no address on that network',
    );
  });

  it('that is our own wallet, or was issued for an order, stops the start', async () => {
    const gateway = await startTestGateway({ DATABASE_URL: database.url });
    const shop = await newMerchant(gateway);
    const { address } = dataOf(await shop.rest('POST', '/payments', USDT_PAYMENT), 201);
    const wallets = () => gateway.sql<{ key: string }>(`select address_key as key from sender where role <> 'DEPOSIT'`);
    await until(async () => (await wallets()).length > 0);
    const ours = [String(address), ...(await wallets()).map(({ key }) => key)];
    await gateway.stop();
    for (const own of ours)
      expect(await refusalOf({ DATABASE_URL: database.url, ETH_COLD_ADDRESS: own })).toContain(
        `ETH_COLD_ADDRESS: ${own} is an address of this gateway`,
      );
  });
});
