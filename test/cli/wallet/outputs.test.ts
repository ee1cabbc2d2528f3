// `npm run wallet` where money lies in outputs: on the Litecoin chain of a running sandbox.

import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { newMerchant, type TestMerchant } from '../../support/clients.ts';
import { dataOf } from '../../support/expectations.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { describeWithLitecoind } from '../../support/litecoind.ts';
import { wallet } from './run.fixture.ts';

describeWithLitecoind('a wallet of outputs', () => {
  let gateway: TestGateway;
  let shop: TestMerchant;
  let env: Record<string, string>;

  beforeAll(async () => {
    gateway = await startTestGateway({ SANDBOX_NETWORKS: 'LTC' });
    shop = await newMerchant(gateway);
    const { dataDir, databaseUrl } = gateway.config;
    env = { DATA_DIR: dataDir, DATABASE_URL: databaseUrl ?? '', SANDBOX_NETWORKS: 'LTC' };
  });
  afterAll(() => gateway.stop(), 90_000);

  const pay = async (confirmations?: number): Promise<string> => {
    const order = { amount: '1.5', currency: 'LTC', network: 'LTC' };
    const { orderId, address } = dataOf(await shop.rest('POST', '/payments', order), 201);
    const body = confirmations === undefined ? {} : { confirmations };
    dataOf(await shop.rest('POST', `/sandbox/payments/${String(orderId)}/deposit`, body));
    return String(address);
  };

  it('is shown by the address that its change goes to, and no secret', async () => {
    const { code, out, err } = await wallet('show', env);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/^On LTC +rltc1q\w+ {2}\(m\/84'\/1'\/0'\/1\/0\), account m\/84'\/1'\/0'$/m);
  });

  it('is listed by address, what can be spent apart from what is on its way; nothing is swept', async () => {
    const paid = await pay();
    await pay(-1);
    const { code, out, err } = await wallet('sweep --dry-run', env);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain(`    ${paid}  1.5 LTC in 1 output\n`);
    expect(out).toContain('LTC: payouts can spend 1.5 LTC; nothing has to be swept');
    expect(out).toContain('LTC: on their way are 1.5 LTC of deposits and 0 LTC of change');
    expect(await gateway.sql('select 1 from transfer')).toEqual([]);
  });

  it('matches in every address that was handed out, and fails at the first of another seed', async () => {
    const { code, out } = await wallet('verify', env);
    expect({ code, matches: /^([3-9]|\d\d) addresses match\n$/.test(out) }).toEqual({ code: 0, matches: true });
    const foreign = await wallet('verify --words', env, `${'zoo '.repeat(23)}vote`);
    expect(foreign.code).toBe(1);
    const [first] = await gateway.sql<{ index: string }>('select min(derivation_index)::text as index from payment');
    expect(foreign.out.replaceAll(/rltc1\w+/g, 'rltc1…').replace(/ord_\w+/, 'ord_…')).toBe(
      `0 addresses match\n✗ payment ord_…: the database has rltc1… at index ${first?.index ?? ''}, the seed rltc1…\n`,
    );
  });
});
