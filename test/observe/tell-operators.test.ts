// Operators are told of gas wallets that are low: by a real node, at the second look in a row, once a day.

import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createOperatorNotices } from '../../src/observe/tell-operators.ts';
import { newId } from '../../src/values/id.ts';
import { createPayoutSetup, type PayoutSetup } from '../custody/payout-setup.fixture.ts';

const GAS = '0x8617E340B3D01FA5F11F306F4090FD50E238070D';
const ETHER = 10n ** 18n;

let stage: PayoutSetup;

beforeAll(async () => {
  stage = await createPayoutSetup();
  await stage.setup.sql(
    `insert into person (id, email, email_verified_at, name, is_operator, created_at)
     values ($1, 'ada@gateway.example', now(), '', true, now())`,
    [newId('usr')],
  );
});
afterAll(() => stage.stop());

const mails = () =>
  stage.setup.sql<{ params: object }>(`select params from mail where template = 'GAS_LOW' order by id`);
const observer = () =>
  createOperatorNotices({ ...stage.deps, sendsMail: true }, { stuckAfterMinutes: 60, gasEveryMs: 0 });
const hold = (units: bigint) => stage.node('anvil_setBalance', GAS, `0x${units.toString(16)}`);

it('a network without a gas wallet has none that is low', async () => {
  const worker = observer();
  for (let look = 0; look < 3; look += 1) expect(await worker.processNext()).toBe(false);
  expect(await mails()).toEqual([]);
});

it('a wallet that is being filled is not told of, one that stays low is, once a day by all observers', async () => {
  await stage.setup.sql(
    `insert into sender (network, address_key, role, next_nonce) values ('ETH', lower($1), 'GAS', 0)`,
    [GAS],
  );
  const [worker, other] = [observer(), observer()];
  await hold(ETHER / 100n);
  await worker.processNext();
  await hold(ETHER);
  await worker.processNext();
  await hold(ETHER / 100n);
  await worker.processNext();
  expect(await mails()).toEqual([]);
  await other.processNext();
  await Promise.all([worker.processNext(), other.processNext()]);
  await worker.processNext();
  expect(await mails()).toEqual([{ params: { network: 'ETH', address: GAS, amount: '0.01 ETH', needed: '0.02 ETH' } }]);
  stage.pass(24 * 60);
  await worker.processNext();
  expect(await mails()).toHaveLength(2);
});

it('where no mails leave nothing is looked at', async () => {
  stage.pass(24 * 60);
  const before = (await mails()).length;
  const deps = { ...stage.deps, sendsMail: false };
  const worker = createOperatorNotices(deps, { stuckAfterMinutes: 60, gasEveryMs: 0 });
  for (let look = 0; look < 3; look += 1) await worker.processNext();
  expect(await mails()).toHaveLength(before);
});
