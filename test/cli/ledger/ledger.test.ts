// `npm run ledger` as operators run it: money that no transaction explains is found, shown, and booked to its owner.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { pino } from 'pino';
import { createRpc } from '../../../src/chain/evm/rpc.ts';
import type { Chain } from '../../../src/domain/deps.ts';
import { createReconciler } from '../../../src/observe/reconcile-balances.ts';
import { startAnvil, type Anvil } from '../../../src/sandbox/evm/anvil.ts';
import { FAST_START_VARIABLES } from '../../support/jest/fast-start-variables.ts';
import { newMerchant, type TestMerchant } from '../../support/clients.ts';
import { dataOf } from '../../support/expectations.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { until } from '../../support/until.ts';

const ETHER = 10n ** 18n;
const log = pino({ level: 'silent' });
// Each step starts programs, which takes long on a busy machine.
jest.setTimeout(90_000);

interface Run {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

let anvil: Anvil;
let gateway: TestGateway;
let shop: TestMerchant;
let env: Record<string, string>;
let order: { id: string; address: string; merchantId: string };

beforeAll(async () => {
  anvil = await startAnvil({ log });
  gateway = await startTestGateway({ ETH_RPC_URL: anvil.url });
  shop = await newMerchant(gateway);
  const { dataDir, databaseUrl } = gateway.config;
  env = { DATA_DIR: dataDir, DATABASE_URL: databaseUrl ?? '', ETH_RPC_URL: anvil.url };
  const created = dataOf(await shop.rest('POST', '/payments', { amount: '1', currency: 'ETH', network: 'ETH' }), 201);
  const [row] = await gateway.sql<{ id: string }>('select merchant_id as id from payment');
  order = { id: String(created.orderId), address: String(created.address), merchantId: row?.id ?? '' };
  dataOf(await shop.rest('POST', `/sandbox/payments/${order.id}/expire`));
  await until(async () => dataOf(await shop.rest('GET', `/payments/${order.id}`)).status === 'EXPIRED');
});
afterAll(async () => {
  await gateway.stop();
  await anvil.stop();
});

/** Runs a program to its end. */
function run(program: string, args: readonly string[], variables: Record<string, string>): Promise<Run> {
  const path = fileURLToPath(new URL(`../../../src/cli/${program}.js`, import.meta.url));
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [path, ...args],
      { env: { ...FAST_START_VARIABLES, ...variables } },
      (error, out, err) => {
        resolve({ code: error === null ? 0 : Number(error.code), out, err });
      },
    );
  });
}

const ledger = (...args: string[]) => run('ledger/ledger', args, env);
const credit = (amount: string) => [
  ...['suspense', 'credit', '--payment', order.id, '--currency', 'ETH', '--amount', amount],
  ...['--note', 'the customer asked', '--by', 'Ada'],
];

/** Verifies the whole book, including against the chain; returns the differences. */
async function verify(): Promise<string> {
  const { code, out, err } = await run('ledger/verify', [], env);
  expect(err).toBe('');
  expect(out).toContain('custody is what the chain holds (ETH)');
  expect(out).not.toContain('not checked');
  expect(code).toBe(out.includes('✗') ? 1 : 0);
  return out
    .split('\n')
    .filter((line) => line.startsWith('✗'))
    .join('\n');
}

/** Changes what the order's address holds without a transaction, and lets the reconciler find it. */
async function change(units: bigint): Promise<void> {
  const rpc = createRpc({ network: 'ETH', url: anvil.url, timeoutMs: 60_000 });
  const held = BigInt((await rpc.call('eth_getBalance', [order.address, 'latest'])) as string);
  await rpc.call('anvil_setBalance', [order.address, `0x${(held + units).toString(16)}`]);
  const deps = { ...gateway.deps, log };
  const reconciler = createReconciler(deps, deps.chains.get('ETH') as Chain, { everyMs: 0 });
  await until(async () => {
    await reconciler.processNext();
    const found = await gateway.sql('select 1 from reconciliation where resolved_at is null and difference = $1', [
      units.toString(),
    ]);
    return found.length > 0;
  });
}

describe('suspense', () => {
  it('is empty at first, and says so', async () => {
    expect(await ledger('suspense')).toEqual({ code: 0, out: 'Nothing is in suspense\n', err: '' });
    expect(await verify()).toBe('');
  });

  it('shows what was found, on which address, and whose order that was; until it is moved, the book does not verify', async () => {
    await change(5n * ETHER);
    const { code, out } = await ledger('suspense');
    expect(code).toBe(0);
    expect(out).toContain('5 ETH on ETH in suspense: the chain holds more than the book explains');
    expect(out).toMatch(/^ {2}\d{4}-\S+Z {2}5 ETH on ETH: chain 5 ETH on ETH, book 0 ETH on ETH$/m);
    expect(out).toContain(`${order.address.toLowerCase()}  5 ETH on ETH  ${order.id} of ${order.merchantId}`);
    expect(await verify()).toContain('custody is what the chain holds');
  });

  it('is not moved by a command that lacks something, and the command says what', async () => {
    for (const [args, err] of [
      [credit('5').slice(0, 6), '--amount is missing'],
      [credit('6'), 'Suspense has 5 ETH on ETH of that, and no more'],
      [['suspense', 'write-off', ...credit('5').slice(2)], 'npm run ledger -- COMMAND'],
    ] as const)
      expect(await ledger(...args)).toEqual({ code: 2, out: '', err: expect.stringContaining(err) });
    expect(await gateway.sql('select 1 from suspense_movement')).toEqual([]);
  });

  it('is credited to the merchant of the payment, less the fee, and the book verifies', async () => {
    const { code, out } = await ledger(...credit('4'));
    expect({ code, out }).toEqual({ code: 0, out: expect.stringMatching(/^4 ETH credited .*: suspense\/\d+\n$/) });
    const { balances } = dataOf(await shop.rest('GET', '/wallet/balance'));
    expect(balances).toContainEqual({ ...{ currency: 'ETH', network: 'ETH' }, available: '3.96', pending: '0', reserved: '0' }); // prettier-ignore
  });

  it('is written off as a gain, and as a loss, and the book verifies after each', async () => {
    const writeOff = (amount: string) => [
      ...['suspense', 'write-off', '--network', 'ETH', '--currency', 'ETH', `--amount=${amount}`, '--note', 'a gift'],
    ];
    expect((await ledger(...writeOff('1'))).out).toMatch(/^1 ETH on ETH written off: suspense\/\d+\n$/);
    expect(await verify()).toBe('');
    await change(-ETHER);
    expect((await ledger('suspense')).out).toContain('-1 ETH on ETH in suspense: the chain holds less than');
    expect((await ledger(...writeOff('-1'))).out).toMatch(/^-1 ETH on ETH written off: suspense\/\d+\n$/);
    expect(await verify()).toBe('');
  });

  it('is empty again, and the record says who moved what, and why', async () => {
    const { out } = await ledger('suspense');
    expect(out).toContain('Nothing is in suspense');
    expect(out).toMatch(
      new RegExp(
        `suspense/\\d+ {2}\\S+ {2}4 ETH on ETH credited to ${order.merchantId} for ${order.id} by Ada: the customer asked`,
      ),
    );
    expect(out).toMatch(/suspense\/\d+ {2}\S+ {2}1 ETH on ETH written off by \S.*: a gift/);
    expect(out).toMatch(/suspense\/\d+ {2}\S+ {2}-1 ETH on ETH written off by/);
  });

  it('once credited can be withdrawn: it is swept from where it lies', async () => {
    const address = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
    const request = { currency: 'ETH', network: 'ETH', amount: '3', address };
    const { withdrawalId } = dataOf(await shop.rest('POST', '/wallet/withdraw', request), 201);
    await until(async () => {
      const found = dataOf(await shop.rest('GET', `/wallet/withdrawals/${String(withdrawalId)}`));
      return found.status === 'COMPLETED';
    });
    expect(await gateway.sql(`select 1 from transfer where purpose = 'SWEEP' and status = 'CONFIRMED'`)).toHaveLength(
      1,
    );
    await until(async () => (await verify()) === '');
  });
});
