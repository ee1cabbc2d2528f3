// `npm run operator -- suspense`: what the chain holds and the book cannot explain moves by actions, which another
// operator decides on.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { pino } from 'pino';
import { createRpc } from '../../../src/chain/evm/rpc.ts';
import type { Chain } from '../../../src/domain/deps.ts';
import { createReconciler } from '../../../src/observe/reconcile-balances.ts';
import { startAnvil, type Anvil } from '../../../src/sandbox/evm/anvil.ts';
import { newMerchant, type TestMerchant } from '../../support/clients.ts';
import { dataOf } from '../../support/expectations.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { FAST_START_VARIABLES } from '../../support/jest/fast-start-variables.ts';
import { until } from '../../support/until.ts';

// Each step starts programs, which takes long on a busy machine.
jest.setTimeout(120_000);

interface Run {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

const log = pino({ level: 'silent' });
let anvil: Anvil;
let gateway: TestGateway;
let shop: TestMerchant;
let env: Record<string, string>;
let order: { readonly id: string; readonly address: string };

beforeAll(async () => {
  anvil = await startAnvil({ log });
  gateway = await startTestGateway({ ETH_RPC_URL: anvil.url });
  shop = await newMerchant(gateway);
  const { dataDir, databaseUrl } = gateway.config;
  env = { DATA_DIR: dataDir, DATABASE_URL: databaseUrl ?? '', ETH_RPC_URL: anvil.url };
  const created = dataOf(await shop.rest('POST', '/payments', { amount: '1', currency: 'ETH', network: 'ETH' }), 201);
  order = { id: String(created.orderId), address: String(created.address) };
  dataOf(await shop.rest('POST', `/sandbox/payments/${order.id}/expire`));
  await until(async () => dataOf(await shop.rest('GET', `/payments/${order.id}`)).status === 'EXPIRED');
});
afterAll(async () => {
  await gateway.stop();
  await anvil.stop();
});

/** Runs a program to its end. */
function run(program: string, args: readonly string[], variables = env): Promise<Run> {
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

const operator = (by: string, ...args: string[]) =>
  run('operator/operator', [...args, '--by', by], { ...env, OPERATOR_APPROVAL_ABOVE: 'ETH/ETH=2' });

/** Changes what the order's address holds without a transaction, and lets the reconciler find it. */
async function change(units: bigint): Promise<void> {
  const rpc = createRpc({ network: 'ETH', url: anvil.url, timeoutMs: 60_000 });
  const held = BigInt((await rpc.call('eth_getBalance', [order.address, 'latest'])) as string);
  await rpc.call('anvil_setBalance', [order.address, `0x${(held + units).toString(16)}`]);
  const deps = { ...gateway.deps, log };
  const reconciler = createReconciler(deps, deps.chains.get('ETH') as Chain, { everyMs: 0 });
  await until(async () => {
    await reconciler.processNext();
    return (await gateway.sql('select 1 from reconciliation where difference = $1', [units.toString()])).length > 0;
  });
}

const ASSET = ['--network', 'eth', '--currency', 'eth'];
const credit = (amount: string) => [
  ...['suspense', 'credit', order.id, ...ASSET, '--amount', amount, '--reason', 'the customer asked'],
];
const writeOff = (amount: string) => [
  ...['suspense', 'write-off', ...ASSET, `--amount=${amount}`, '--reason', 'nobody asks'],
];

it('what is said wrongly, or is not there, moves nothing', async () => {
  expect((await operator('Ada', ...credit('4').slice(0, -2))).err).toContain('--reason is missing');
  expect((await operator('Ada', ...credit('1'))).err).toContain('Suspense has 0 ETH on ETH of that, and no more');
  expect((await operator('Ada', ...writeOff('1'))).err).toContain('Suspense has 0 ETH on ETH of that, and no more');
  expect((await operator('Ada', ...writeOff('x'))).code).toBe(2);
  expect(await operator('Ada', 'suspense')).toEqual({ code: 0, out: 'Nothing is in suspense\n', err: '' });
  expect(await gateway.sql('select from operator_action')).toEqual([]);
});

it('is credited above the threshold once another operator approves, and written off below it at once', async () => {
  await change(5n * 10n ** 18n);
  expect((await operator('Ada', 'suspense')).out).toMatch(/^ETH\/ETH {2}5$/m);
  const { out } = await operator('Ada', ...credit('4'));
  const id = /^(act_\w+) waits for another operator: CREDIT_SUSPENSE of 4 ETH on ETH$/m.exec(out)?.[1] ?? '';
  expect((await operator('Ada', 'approve', id)).err).toContain('Somebody else has to decide this');
  expect((await operator('Ben', 'approve', id)).out).toContain(`${id} is DONE: CREDIT_SUSPENSE of 4 ETH on ETH`);
  const { balances } = dataOf(await shop.rest('GET', '/wallet/balance')) as { balances: readonly object[] };
  expect(balances).toContainEqual(expect.objectContaining({ currency: 'ETH', network: 'ETH', available: '3.96' }));
  const references = await gateway.sql('select from ledger_transaction where reference = $1', [`action/${id}`]);
  expect(references).toHaveLength(1);
  expect((await operator('Ada', ...credit('0.5'))).out).toMatch(
    /^0\.5 ETH on ETH is credited to the merchant of ord_\w+, less the fee: act_\w+$/m,
  );
  expect((await operator('Ada', ...writeOff('0.5'))).out).toMatch(/^0\.5 ETH on ETH is written off: act_\w+$/m);
  expect(JSON.parse((await operator('Ada', 'suspense', '--json')).out)).toEqual([]);
  const moved = await gateway.sql('select kind, operator, note from suspense_movement order by id');
  expect(moved).toEqual([
    { kind: 'CREDIT', operator: 'Ada', note: 'the customer asked' },
    { kind: 'CREDIT', operator: 'Ada', note: 'the customer asked' },
    { kind: 'WRITE_OFF', operator: 'Ada', note: 'nobody asks' },
  ]);
});

it('a shortfall is a loss of the gateway, and the whole book verifies', async () => {
  await change(-1n * 10n ** 18n);
  expect((await operator('Ada', 'suspense')).out).toMatch(/^ETH\/ETH {2}-1$/m);
  expect((await operator('Ada', ...writeOff('-1'))).out).toMatch(/^-1 ETH on ETH is written off: act_\w+$/m);
  const { code, out } = await run('ledger/verify', []);
  expect({ code, wrong: out.includes('✗') }).toEqual({ code: 0, wrong: false });
});
