// The wallets' nonces when something is wrong. A payout that cannot be sent for now, as its token is paused or money is
// missing: its nonce is freed, and it is paid once, later. A node that counts too many transactions is not believed.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { AccountAdapter } from '../../../src/chain/adapter.ts';
import { type RejectionReason, TransactionRefused } from '../../../src/chain/errors.ts';
import { createNodePool } from '../../../src/chain/pool/node-pool.ts';
import { createPayoutSetup, type PayoutSetup } from '../payout-setup.fixture.ts';

const ETHER = 10n ** 18n;

let stage: PayoutSetup;
let shop: string;

beforeAll(async () => {
  stage = await createPayoutSetup();
});
afterAll(() => stage.stop());
beforeEach(() => stage.pass(10));
afterEach(() => stage.audit());

/** A sender as in live (it does not mine), over nodes that answer some questions in their own way. */
function live(...odd: Partial<AccountAdapter>[]) {
  const chain = stage.deps.chains.get('ETH');
  if (!chain) throw new Error('There is no chain');
  const nodes = odd.map((one) => ({ ...stage.adapter, ...one }));
  const adapter = createNodePool({ adapters: nodes, now: () => 0 }) as AccountAdapter;
  return stage.sender({ chain: { ...chain, adapter }, devChain: undefined });
}

/** Its count of mined transactions is a thousand too high for every address; its mempool is correct. */
const overcounting: Partial<AccountAdapter> = {
  nonces: async (keys) => new Map([...(await stage.adapter.nonces(keys))].map(([key, nonce]) => [key, nonce + 1_000])),
};

/** Lets blocks and time pass. */
async function blocks(sender: ReturnType<typeof live>, count: number, minutes = 1): Promise<void> {
  for (let block = 0; block < count; block += 1) {
    await stage.dev.mine(1);
    stage.pass(minutes);
    await stage.settle(sender, stage.watcher());
  }
}

const senders = () =>
  stage.setup.sql<{ role: string; key: string; next: string }>(
    'select role, address_key as key, next_nonce::text as next from sender order by role, address_key',
  );

/** Both wallets have coin, and the hot wallet has this much USDT; the rest is at deposit addresses. */
async function fillWallets(usdt: bigint): Promise<void> {
  shop = await stage.setup.merchant();
  await stage.pay(await stage.order(shop, 'ETH'), 'ETH', 10n * ETHER);
  await stage.pay(await stage.order(shop), 'USDT', 100_000_000n);
  for (const { key, role } of await senders())
    for (const [currency, amount] of Object.entries({ ETH: 10n * ETHER, USDT: usdt }))
      if (role !== 'DEPOSIT' && amount > 0n)
        await stage.dev.deposit({ address: key, currency, amount, confirmations: 1 });
  await stage.settle(stage.watcher());
}

describe('a node that counts more transactions of ours than there are', () => {
  it('is not believed when wallets are registered: where there are two nodes, both must agree', async () => {
    const asked = stage.settle(live(overcounting, {}));
    await expect(asked).rejects.toThrow('do not agree');
    expect(await senders()).toEqual([]);
    await stage.settle(live({}, overcounting));
    expect(await senders()).toMatchObject([
      { role: 'GAS', next: '0' },
      { role: 'HOT', next: '0' },
    ]);
  });

  it('no wallet signs with its count, and it stops nothing once it is right again', async () => {
    await fillWallets(0n);
    const plain = await stage.withdraw(shop, 'ETH', '0.01');
    const swept = await stage.withdraw(shop, 'USDT', '90');
    const before = await senders();
    await stage.settle(live(overcounting));
    expect(await stage.setup.sql('select id from transfer')).toEqual([]);
    expect((await senders()).filter(({ role }) => role !== 'DEPOSIT')).toEqual(before);
    await blocks(live({}), 10, 6);
    for (const { id } of [plain, swept])
      expect(await stage.payout(id)).toMatchObject({ status: 'COMPLETED', held_reason: null });
    expect(await stage.setup.sql('select 1 from signing_halt')).toEqual([]);
  });
});

describe('a refused payout of the hot wallet that cannot be sent for now', () => {
  it.each<[string, RejectionReason, RejectionReason]>([
    ['whose token was paused by its issuer', 'FEES', 'SENDER'],
    ['whose money is missing', 'FUNDS', 'FUNDS'],
  ])('%s has its nonce freed, and those behind it are paid meanwhile', async (_name, first, then) => {
    await fillWallets(100_000_000n);
    let own = '';
    let isPaused = true;
    const sender = live({
      broadcast: (raw) => {
        own ||= raw;
        return raw === own && isPaused
          ? Promise.reject(new TransactionRefused('ETH', first))
          : stage.adapter.broadcast(raw);
      },
      quote: (request, control) =>
        own !== '' && isPaused && request.currency === 'USDT'
          ? Promise.reject(new TransactionRefused('ETH', then))
          : stage.adapter.quote(request, control),
    });
    const { id } = await stage.withdraw(shop, 'USDT', '3');
    stage.pass(0.1);
    const behind = await stage.withdraw(shop, 'ETH', '0.02');
    await stage.settle(sender);
    expect(await stage.payout(behind.id)).toMatchObject({ status: 'BROADCAST' });
    await blocks(sender, 6, 6);
    expect(await stage.payout(behind.id)).toMatchObject({ status: 'COMPLETED' });
    expect((await stage.payout(id)).status).toBe('BROADCAST');
    isPaused = false;
    await blocks(sender, 8, 30);
    expect(await stage.payout(id)).toMatchObject({ status: 'COMPLETED', held_reason: null });
    const paid = await stage.setup.sql(`select 1 from transfer where payout_id = $1 and status = 'CONFIRMED'`, [id]);
    expect(paid).toHaveLength(1);
  });
});
