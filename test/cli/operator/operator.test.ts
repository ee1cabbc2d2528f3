// `npm run operator` as operators run it, on a running sandbox.

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { FAST_START_VARIABLES } from '../../support/jest/fast-start-variables.ts';
import { graphql, newEmail, newMerchant, rest, USDT_PAYMENT, type TestMerchant } from '../../support/clients.ts';
import { setUpTotp } from '../../support/factors.ts';
import { mailsTo, secretTo } from '../../support/mailbox.ts';
import { PASSWORD, signUp } from '../../support/people.ts';
import { addPerson, askAsOperator } from '../../support/operators.ts';
import { dataOf, expectGraphQLError, expectRefusal } from '../../support/expectations.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { until } from '../../support/until.ts';

// Each step starts programs, which takes long on a busy machine.
jest.setTimeout(120_000);

const COLD = '0x52908400098527886E0F7030069857D2E4169EE7';
const OUTSIDE = '0x8617E340B3D01FA5F11F306F4090FD50E238070D';

/** What a program in live needs, to which no mail server belongs. */
const LIVE = {
  ...{ TURNPIKE_ENV: 'live', REGISTRATION: 'invite', BASE_URL: 'https://pay.example.com', TRUST_PROXY: '10.0.0.0/8' },
  ...{ ETH_RPC_URL: 'https://node.example.com', ETH_XPUB: `xpub${'A'.repeat(107)}` },
  ...{ ETH_ETH_NETWORK_FEE: '0.001', ETH_USDT_NETWORK_FEE: '1.5', ETH_USDC_NETWORK_FEE: '0' },
};

interface Run {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

let gateway: TestGateway;
let shop: TestMerchant;
let env: Record<string, string>;

beforeAll(async () => {
  gateway = await startTestGateway({ ETH_COLD_ADDRESS: COLD });
  shop = await newMerchant(gateway);
  const { dataDir, databaseUrl } = gateway.config;
  env = { DATA_DIR: dataDir, DATABASE_URL: databaseUrl ?? '', ETH_COLD_ADDRESS: COLD };
  const { orderId } = dataOf(await shop.rest('POST', '/payments', { ...USDT_PAYMENT, amount: '1000' }), 201);
  dataOf(await shop.rest('POST', `/sandbox/payments/${String(orderId)}/deposit`, {}));
});
afterAll(() => gateway.stop());

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

const operator = (...args: string[]) => run('operator/operator', [...args, '--by', 'Ada']);
/** What it prints when it succeeds. */
async function said(...args: string[]): Promise<string> {
  const { code, out, err } = await operator(...args);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return out;
}
const logged = () =>
  gateway.sql<{ actor: string; action: string; target: string | null }>(
    'select actor, action, target from operator_log order by id',
  );
const ask = (amount: string, address = OUTSIDE) =>
  shop.rest('POST', '/wallet/withdraw', { currency: 'USDT', network: 'ETH', amount, address });
const withdrawal = async (id: string) => dataOf(await shop.rest('GET', `/wallet/withdrawals/${id}`));

describe('what is not said rightly', () => {
  it.each([
    [[], 'npm run operator -- COMMAND'],
    [['freezes', '--all'], 'npm run operator -- COMMAND'],
    [['fail', 'wdr_x'], '--reason is missing'],
    [['freeze', '--reason', ' '], 'say why'],
    [['unfreeze', 'frz_x'], 'There is no freeze frz_x'],
    [['fail', 'wdr_x', '--reason', 'x'], 'There is no payout wdr_x'],
    [['asset', 'ETH', 'USDT', 'maybe', '--reason', 'x'], 'on or off'],
    [['asset', 'ETH', 'DOGE', 'off', '--reason', 'x'], 'not supported'],
    [
      ['fees', 'withdraw', '--network', 'POLYGON', '--currency', 'USDT', '--amount', 'max'],
      'POLYGON_COLD_ADDRESS is not set',
    ],
    [
      ['fees', 'withdraw', '--network', 'ETH', '--currency', 'USDT', '--amount', '1000'],
      '10 USDT on ETH may be withdrawn',
    ],
  ])('%j does nothing, and says what is wrong', async (args, err) => {
    expect(await operator(...args)).toEqual({ code: 2, out: '', err: expect.stringContaining(err) });
    expect(await logged()).toEqual([]);
  });

  it('says in its usage that a name guards against mistakes only', async () => {
    const { err } = await operator();
    expect(err).toContain('That guards against mistakes,\n  not against who holds the machine');
  });
});

describe('a stuck payout', () => {
  it('is frozen, shown, failed and released; the merchant and both logs see it', async () => {
    const out = await said('freeze', '--merchant', shop.id, '--reason', 'his key may be stolen');
    const id = /^(frz_\w+) holds mer_\w+; waiting for it: 0$/m.exec(out)?.[1] ?? '';
    expectRefusal(await ask('1'), 503, '4009');
    expect(await said('unfreeze', id)).toBe(`${id} is lifted; payouts that go on: 0\n`);
    // The network is halted for a moment, so that the freeze comes before the signer.
    await gateway.sql(`insert into signing_halt (network, findings, halted_at) values ('ETH', '["a test"]', now())`);
    const { withdrawalId } = dataOf(await ask('20'), 201);
    const wanted = String(withdrawalId);
    expect(await said('freeze', '--payout', wanted, '--reason', 'a call')).toMatch(/waiting for it: 1$/m);
    await gateway.sql('delete from signing_halt');
    // Meanwhile the signer may have recorded the halt as the reason.
    await until(async () => (await withdrawal(wanted)).heldReason === 'FROZEN');
    expect(await said('payouts')).toBe('No payout is open for 60 minutes\n');
    expect(await said('payouts', '--all')).toMatch(
      new RegExp(`^${wanted}  ${shop.id}  REQUESTED  \\d min +20 +USDT/ETH  ${OUTSIDE}  FROZEN  -$`, 'm'),
    );
    await gateway.sql(`update payout set created_at = created_at - interval '2 hours' where id = $1`, [wanted]);
    expect(JSON.parse(await said('payouts', '--network', 'eth', '--json'))).toMatchObject([
      { id: wanted, merchantId: shop.id, status: 'REQUESTED', amount: '20', heldReason: 'FROZEN', txHash: null },
    ]);
    expect(await said('freezes')).toMatch(new RegExp(`^frz_\\w+  ${wanted}  \\S+  Ada  a call$`, 'm'));
    expect(await said('fail', wanted, '--reason', 'he asked')).toBe(
      `${wanted} is FAILED: 20 USDT on ETH is released to ${shop.id}\n`,
    );
    expect(await withdrawal(wanted)).toMatchObject({ status: 'FAILED', heldReason: null });
    expect((await operator('fail', wanted, '--reason', 'again')).err).toContain('is FAILED already');
    const audit = await gateway.sql<{ action: string }>(
      `select action from audit_log where merchant_id = $1 and actor = 'operator' order by id`,
      [shop.id],
    );
    expect(audit.map(({ action }) => action)).toEqual(['PAYOUTS_FROZEN', 'PAYOUTS_UNFROZEN', 'PAYOUTS_FROZEN', 'PAYOUT_FAILED']); // prettier-ignore
    expect((await logged()).map(({ action }) => action)).toEqual(
      ['PAYOUTS_FROZEN', 'PAYOUTS_UNFROZEN', 'PAYOUTS_FROZEN', 'PAYOUTS_READ', 'PAYOUTS_READ', 'PAYOUTS_READ', 'FREEZES_READ', 'ACTION_REQUESTED', 'PAYOUT_FAILED'], // prettier-ignore
    );
  });

  it('whose transaction may be mined is not failed (4008), and one that can be read is not completed by hand', async () => {
    const { withdrawalId } = dataOf(await ask('5'), 201);
    const id = String(withdrawalId);
    await until(async () => (await withdrawal(id)).status === 'COMPLETED');
    await gateway.sql(`update payout set status = 'BROADCAST', completed_at = null where id = $1`, [id]);
    const refused = await operator('fail', id, '--reason', 'why');
    expect(refused).toEqual({
      code: 2,
      out: '',
      err: expect.stringContaining('a transaction of it may still take effect'),
    });
    expect((await operator('complete', id, '--reason', 'why')).err).toContain('none of its transactions was mined with an effect that cannot be read'); // prettier-ignore
    await gateway.sql(`update payout set status = 'COMPLETED', completed_at = now() where id = $1`, [id]);
  });
});

describe('an asset', () => {
  it('goes out of service and comes back, once', async () => {
    const set = (state: string) => said('asset', 'eth', 'usdc', state, '--reason', 'an incident');
    expect(await set('off')).toBe('USDC on ETH is out of service\n');
    expect(await set('off')).toBe('USDC on ETH is out of service already; nothing is changed\n');
    expect(await gateway.sql('select network, currency, cause, created_by as by from asset_off')).toEqual([
      { network: 'ETH', currency: 'USDC', cause: 'OPERATOR', by: 'Ada' },
    ]);
    expect(await said('health')).toContain('  off         USDC (OPERATOR): an incident\n');
    expect(await set('on')).toBe('USDC on ETH is in service\n');
    expect(await gateway.sql('select 1 from asset_off')).toEqual([]);
  });
});

describe('fees', () => {
  it('leave to the cold address, and the whole book verifies', async () => {
    const before = JSON.parse(await said('fees', '--json')) as Record<string, string>[];
    expect(before.find(({ currency }) => currency === 'USDT')).toMatchObject({ fees: '10', withdrawable: '10' });
    const out = await said('fees', 'withdraw', '--network', 'ETH', '--currency', 'usdt', '--amount', 'max');
    const id = /^(fee_\w+) is REQUESTED: 10 USDT on ETH to 0x\w{40}$/m.exec(out)?.[1] ?? '';
    const status = async () =>
      (await gateway.sql<{ status: string }>('select status from payout where id = $1', [id]))[0]?.status;
    await until(async () => (await status()) === 'COMPLETED');
    expect(await said('fees')).toMatch(/^USDT\/ETH +0 +0 +0 +0 +0 +0$/m);
    expect(dataOf(await shop.rest('GET', '/wallet/withdrawals')).items).not.toContainEqual(expect.objectContaining({ withdrawalId: id })); // prettier-ignore
    const adapter = gateway.deps.chains.get('ETH')?.adapter;
    if (adapter?.model !== 'ACCOUNT') throw new Error('the network is gone');
    expect((await adapter.balances([COLD.toLowerCase()], 'USDT')).get(COLD.toLowerCase())).toBe(10_000_000n);
    await until(async () => {
      const { code, out: verified } = await run('ledger/verify', []);
      return code === 0 && !verified.includes('✗');
    });
  });
});

describe('health', () => {
  it('shows each network on one screen: node, wallets, what waits, and what holds it', async () => {
    await gateway.sql(
      `insert into signing_halt (network, findings, halted_at) values ('ETH', '["unknown 0xab"]', now())`,
    );
    const frozen = await said('freeze', '--currency', 'USDC', '--reason', 'an incident');
    const out = await said('health');
    expect(out).toMatch(/^ETH {2}available$/m);
    expect(out).toMatch(/^ {2}node's tip {2}\d+ of \S+Z; read up to \d+$/m);
    expect(out).toMatch(/^ {2}hot wallet {2}0x[0-9a-fA-F]{40} {2}\S+ ETH, \S+ USDT$/m);
    expect(out).toMatch(/^ {2}gas wallet {2}0x[0-9a-fA-F]{40} {2}\S+ ETH$/m);
    expect(out).toMatch(/^ {2}payouts {5}0 waiting; 0 stuck$/m);
    expect(out).toMatch(/^ {2}HALTED {6}since \S+Z: \["unknown 0xab"\]$/m);
    expect(out).toContain(`\n  ${frozen.split(' ')[0] ?? ''}  USDC, by Ada: an incident\n`);
    expect(JSON.parse(await said('health', '--json'))).toMatchObject({
      networks: [{ network: 'ETH', available: true, payoutsDue: 0, stuck: 0, halt: { findings: ['unknown 0xab'] } }],
      freezes: expect.arrayContaining([expect.objectContaining({ currency: 'USDC' })]),
    });
    await gateway.sql('delete from signing_halt');
  });

  it('says unknown where no node is configured, and whose name it is by default', async () => {
    const { code, out } = await run('operator/operator', ['health'], {
      DATABASE_URL: env['DATABASE_URL'] ?? '',
      DATA_DIR: '/nowhere',
    });
    expect(code).toBe(0);
    expect(out).toMatch(/^ETH {2}unknown: no node is configured here$/m);
    expect(out).toMatch(/^ {2}hot wallet {2}0x[0-9a-f]{40} {2}holds: unknown$/m);
    const [last] = await gateway.sql<{ actor: string }>('select actor from operator_log order by id desc limit 1');
    expect(last?.actor).not.toBe('Ada');
    expect(last?.actor).toMatch(/\S/);
  });

  it('says why a node is not what it should be', async () => {
    const { out } = await run('operator/operator', ['health'], { ...env, ETH_RPC_URL: 'http://127.0.0.1:1' });
    expect(out).toMatch(/^ETH {2}not available: \S.*$/m);
  });
});

describe('an operator who signs in', () => {
  it('is made one by the machine alone, and is none at once when it is taken', async () => {
    const { email } = await addPerson(gateway);
    expect((await operator('grant', 'nobody@example.org')).err).toContain('There is nobody with the e-mail address');
    expect(await said('grant', email.toUpperCase())).toMatch(/ \(usr_\w+\) is an operator$/m);
    expect(await said('grant', email)).toContain('already; nothing is changed');
    const { body } = await askAsOperator(gateway, email);
    const ask = graphql(gateway, body.data.signIn.token.accessToken as string);
    expect((await ask('{ payoutFreezes { id } }')).body.data.payoutFreezes).toEqual(expect.any(Array));
    expect(await said('revoke', email)).toMatch(/is no operator; sessions ended: 1$/m);
    expectGraphQLError(await ask('{ payoutFreezes { id } }'), 401, 'UNAUTHENTICATED', '1002');
    expectGraphQLError(await askAsOperator(gateway, email), 200, 'FORBIDDEN', '1004');
    const [{ count } = { count: '' }] = await gateway.sql<{ count: string }>(
      `select count(*) from operator_log where actor = 'Ada' and action like 'OPERATOR_%'`,
    );
    expect(Number(count)).toBe(3);
  });
});

describe('somebody who is to register', () => {
  it('is invited by mail, and by a printed link where none leaves', async () => {
    const email = newEmail();
    expect((await operator('invite', 'none')).err).toContain('The e-mail address ');
    expect(await said('invite', email.toUpperCase())).toMatch(
      new RegExp(`^${email.toLowerCase()} is invited until \\S+ \\(ivn_\\w+\\)\n$`),
    );
    expect(await secretTo(gateway, email)).toMatch(/^ivn_/);
    const closed = { ...env, REGISTRATION: 'closed' };
    expect((await run('operator/operator', ['invite', email], closed)).err).toContain('Registration is closed');
    const live = { ...env, ...LIVE, TURNPIKE_SECRET: readFileSync(join(gateway.config.dataDir, 'secret'), 'utf8') };
    const { out, err } = await run('operator/operator', ['invite', email, '--by', 'Ada'], live);
    expect(err).toBe('');
    const invitation = /^ {2}https:\/\/pay\.example\.com\/console\/accept#(ivn_\w+\.\S+)$/m.exec(out)?.[1] ?? '';
    expect(await mailsTo(gateway, email)).toHaveLength(1);
    const company = { email, companyName: 'Shop', password: PASSWORD };
    const other = { ...company, email: newEmail() };
    expectRefusal(await rest(gateway)('POST', '/merchant/register', { ...other, invitation }), 409, '2011');
    dataOf(await rest(gateway)('POST', '/merchant/register', { ...company, invitation }), 201);
    // The link was handed over, which shows nothing of the address.
    expect((await mailsTo(gateway, email))[0]).toMatchObject({ template: 'VERIFY_EMAIL' });
    const log = await gateway.sql(`select actor, details->>'isMailed' as mailed from operator_log where action = 'MERCHANT_INVITED' order by id`); // prettier-ignore
    expect(log).toEqual([
      { actor: 'Ada', mailed: 'true' },
      { actor: 'Ada', mailed: 'false' },
    ]);
  });
});

describe('a merchant', () => {
  it('is found, suspended once, and restored', async () => {
    const other = await newMerchant(gateway);
    expect((await operator('suspend', 'mer_x', '--reason', 'why')).err).toContain('There is no merchant mer_x');
    expect(await said('merchants', '--search', other.id)).toMatch(new RegExp(`^${other.id}  .* -$`, 'm'));
    expect(await said('suspend', other.id, '--reason', 'a police request')).toMatch(/ is suspended$/m);
    expect((await operator('suspend', other.id, '--reason', 'again')).err).toContain('is suspended already');
    expect(await said('freezes')).toMatch(new RegExp(`  ${other.id}  \\S+  Ada  a police request$`, 'm'));
    expect(await said('merchants', '--search', other.id)).toContain(': a police request');
    await until(async () => (await other.rest('POST', '/payments', USDT_PAYMENT)).status === 403);
    expect(await said('restore', other.id)).toMatch(/ is restored$/m);
    await until(async () => (await other.rest('POST', '/payments', USDT_PAYMENT)).status === 201);
  });
});

describe('money above the threshold', () => {
  it('waits for an operator of another name', async () => {
    const { orderId } = dataOf(await shop.rest('POST', '/payments', { ...USDT_PAYMENT, amount: '500' }), 201);
    dataOf(await shop.rest('POST', `/sandbox/payments/${String(orderId)}/deposit`, {}));
    await until(async () => (await said('fees')).includes('USDT/ETH'));
    const fees = ['fees', 'withdraw', '--network', 'ETH', '--currency', 'USDT', '--amount', '2'];
    const strict = { ...env, OPERATOR_APPROVAL_ABOVE: 'USDT/ETH=1' };
    const by = (name: string, ...args: string[]) => run('operator/operator', [...args, '--by', name], strict);
    const { out } = await by('Ada', ...fees);
    const id = /^(act_\w+) waits for another operator: WITHDRAW_FEES of 2 USDT on ETH$/m.exec(out)?.[1] ?? '';
    expect((await by('Ada', 'approve', id)).err).toContain('Somebody else has to decide this');
    expect((await by('Ben', 'approve', id)).out).toMatch(/ is DONE: WITHDRAW_FEES of 2 USDT on ETH, fee_\w+$/m);
    expect((await by('Cy', 'reject', id, '--reason', 'late')).err).toContain('is DONE already');
    expect((await by('Cy', 'actions')).out).toMatch(new RegExp(`^${id}  WITHDRAW_FEES  DONE .*  Ada  Ben  `, 'm'));
  });
});

describe('somebody who has lost their second factor', () => {
  it('signs in with the password alone once it is reset, and is held', async () => {
    const owner = await signUp(gateway, { isConfirmed: true });
    await setUpTotp(owner);
    const login = `mutation { login(email: "${owner.email}", password: "${PASSWORD}") { accessToken } }`;
    expectGraphQLError(await graphql(gateway)(login), 200, 'UNAUTHENTICATED', '1009');
    expect(await said('reset-factors', owner.email)).toMatch(/has no second factor; removed: 1, sessions ended: 1$/m);
    await until(async () => (await owner.graphql('{ me { id } }')).status === 401);
    expect((await graphql(gateway)(login)).body.data.login.accessToken).toMatch(/^ey/);
    const [held] = await gateway.sql<{ held: boolean }>(
      'select held_until is not null as held from person where email = $1',
      [owner.email.toLowerCase()],
    );
    expect(held).toEqual({ held: true });
    expect((await operator('reset-factors', 'nobody@example.org')).err).toContain('There is nobody');
  });
});

describe('erasures on a restored backup', () => {
  it('are printed without an address, and repeated from that list', async () => {
    const owner = await signUp(gateway, { isConfirmed: true });
    const email = 'ann@customer.example';
    const created = await rest(gateway, owner.token)('POST', '/payments', { ...USDT_PAYMENT, customerEmail: email });
    const { orderId } = dataOf(created, 201);
    dataOf(await rest(gateway, owner.token)('DELETE', `/payments/${String(orderId)}`));
    const erase = `mutation { eraseCustomer(email: "${email}") { payments } }`;
    await until(async () => (await owner.graphql(erase)).body.data?.eraseCustomer.payments === 1);
    const list = await said('erasures');
    expect(list).toMatch(new RegExp(`^ers_\\w+ ${owner.merchantId} \\S+Z [0-9a-f]{64}$`, 'm'));
    expect(list).not.toContain('customer.example');
    await gateway.sql('delete from erasure');
    await gateway.sql('update payment set customer_email = $2 where id = $1', [orderId, email]);
    const file = join(gateway.config.dataDir, 'erasures.txt');
    await writeFile(file, list);
    expect(await said('erase-again')).toMatch(/^Erased again: 0 customers\nErased by age: 0 orders\n$/);
    expect(await said('erase-again', '--from', file)).toMatch(/^Erased again: 1 customers$/m);
    const { customerEmail } = dataOf(await rest(gateway, owner.token)('GET', `/payments/${String(orderId)}`));
    expect(customerEmail).toBeNull();
    expect(await said('erasures')).toBe(list);
    await writeFile(file, 'nobody\n');
    expect((await operator('erase-again', '--from', file)).err).toContain('Line 1 is no erasure');
  });
});
