// Cost limits of payouts on Solana: the token account that a recipient may need, and who pays for it. On litesvm.

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { associatedTokenAccount, TOKEN_PROGRAM } from '../../../src/chain/solana/address.ts';
import * as message from '../../../src/chain/solana/message.ts';
import { requestRefund } from '../../../src/domain/payouts/request.ts';
import { newKey, type TestKey } from '../../doubles/solana/accounts.ts';
import { createSolanaPayoutSetup, type SolanaPayoutSetup } from '../solana-setup.fixture.ts';

const UNIT = 1_000_000n;
const FEE = 1n * UNIT;
const ACCOUNT_FEE = 500_000n;
const RENT = 2_039_280n;
const NO_ACCOUNT = 'the recipient has no account for the token any more, and its fee does not cover one';

let stage: SolanaPayoutSetup;
let shop: string;
let recipient: TestKey;

beforeEach(async () => {
  stage = await createSolanaPayoutSetup({
    networkFees: new Map([['USDT', FEE]]),
    newAccountFees: new Map([['USDT', ACCOUNT_FEE]]),
  });
  shop = await stage.setup.merchant();
  recipient = newKey();
  await stage.pay(await stage.order(shop, 'USDT'), 'USDT', 100n * UNIT);
});
afterEach(() => stage.audit());
afterEach(() => stage.stop());

const mint = () => stage.node.contracts.get('USDT') ?? '';
const accountOf = (owner: string) => associatedTokenAccount(owner, mint(), TOKEN_PROGRAM);

/** Opens the recipient's account at the faucet's expense, or closes it: its owner gets the rent. */
async function setAccount(state: 'open' | 'closed'): Promise<void> {
  const { faucet } = stage.node;
  const token = { mint: mint(), program: TOKEN_PROGRAM, decimals: 6 };
  const [account, owner] = [accountOf(recipient.address), recipient.address];
  if (state === 'open') stage.node.submit([message.createTokenAccount(faucet.address, account, owner, token)]);
  else submitClosing();
  stage.mine(1);
  await stage.settle(stage.watcher);
}

/** CloseAccount, instruction 9 of the token program; the transaction waits for a block. */
function submitClosing(): void {
  const { address } = recipient;
  const use = (key: string, signs: boolean) => ({ key, signs, writes: !signs });
  const accounts = [use(accountOf(address), false), use(address, false), use(address, true)];
  stage.node.submit([{ program: TOKEN_PROGRAM, data: Buffer.of(9), accounts }], [recipient]);
}

interface Row {
  readonly status: string;
  readonly failure: string | null;
  readonly fee: string;
}

async function read(id: string): Promise<Row | undefined> {
  const rows = await stage.setup.sql<Row>(
    'select status, failure, network_fee::text as fee from payout where id = $1',
    [id],
  );
  return rows[0];
}

async function costOf(id: string): Promise<bigint> {
  const [row] = await stage.setup.sql<{ units: string }>(
    'select coalesce(sum(cost), 0)::text as units from transfer where payout_id = $1',
    [id],
  );
  return BigInt(row?.units ?? 0);
}

/** Runs the sender again and again, with blocks and time between. */
async function wear(id: string, until: readonly string[] = ['REQUESTED']): Promise<void> {
  const sender = stage.sender();
  for (let look = 1; look < 20 && until.includes((await read(id))?.status ?? ''); look += 1) {
    await stage.settle(sender, stage.watcher);
    stage.mine(20);
    stage.pass(15);
  }
}

describe('a payout of a token', () => {
  it('to somebody without an account for it is charged for one, which is opened', async () => {
    const id = await stage.withdraw(shop, 'USDT', '10', recipient.address);
    expect(await read(id)).toMatchObject({ fee: String(FEE + ACCOUNT_FEE) });
    expect(await stage.setup.balance(shop)).toMatchObject({ reserved: 10n * UNIT + FEE + ACCOUNT_FEE });
    await stage.carryOut(id, stage.sender());
    expect(await read(id)).toMatchObject({ status: 'COMPLETED' });
    expect((await costOf(id)) > RENT).toBe(true);
  });

  it('to somebody with one is charged the flat fee, and opens none', async () => {
    await setAccount('open');
    const id = await stage.withdraw(shop, 'USDT', 'max', recipient.address);
    expect(await read(id)).toMatchObject({ fee: String(FEE) });
    await stage.carryOut(id, stage.sender());
    expect(await read(id)).toMatchObject({ status: 'COMPLETED' });
    expect((await costOf(id)) < RENT / 10n).toBe(true);
    expect(await stage.setup.balance(shop)).toMatchObject({ available: 0n, reserved: 0n });
  });

  it('whose recipient closes their account before it is signed fails, and all of it is released', async () => {
    await setAccount('open');
    const before = await stage.setup.balance(shop);
    const id = await stage.withdraw(shop, 'USDT', '10', recipient.address);
    await setAccount('closed');
    await wear(id);
    expect(await read(id)).toMatchObject({ status: 'FAILED', failure: NO_ACCOUNT });
    expect(await stage.setup.balance(shop)).toEqual(before);
    expect(await costOf(id)).toBe(0n);
  });

  it('whose recipient closes it after it was signed is carried out without effect: they get no rent of ours', async () => {
    await setAccount('open');
    const before = await stage.setup.balance(shop);
    const id = await stage.withdraw(shop, 'USDT', '10', recipient.address);
    const sender = stage.sender();
    // Sent to the pool; then the recipient closes their account by a transaction that the next block executes first.
    while ((await read(id))?.status === 'REQUESTED') {
      await stage.settle(sender, stage.watcher);
      if ((await read(id))?.status === 'REQUESTED') stage.mine(5);
    }
    submitClosing();
    const { waiting } = stage.node.chain;
    waiting.unshift(...waiting.splice(-1));
    for (let round = 0; round < 8; round += 1) {
      stage.mine(10);
      await stage.settle(sender, stage.watcher);
    }
    await wear(id, ['BROADCAST']);
    expect(await read(id)).toMatchObject({ status: 'FAILED', failure: NO_ACCOUNT });
    expect((await costOf(id)) < RENT / 10n).toBe(true);
    // The chain was paid for nothing, which is the case that the fee covers.
    expect(await stage.setup.balance(shop)).toMatchObject({ available: before.available - FEE, reserved: 0n });
  });

  it('is refused with 3007 while the node does not say whether there is an account', async () => {
    stage.node.override(({ method }) => (method === 'getMultipleAccounts' ? 503 : undefined));
    await expect(stage.withdraw(shop, 'USDT', '10', recipient.address)).rejects.toMatchObject({
      errorName: 'NETWORK_UNAVAILABLE',
    });
    stage.node.override(null);
  });
});

describe('a refund of a token', () => {
  it('is charged for the account that it opens, too', async () => {
    const order = await stage.order(shop, 'USDT');
    await stage.pay(order, 'USDT', 20n * UNIT);
    const asked = { paymentId: order.id, address: recipient.address, amount: '5' };
    const { result } = await requestRefund(stage.deps, shop, asked, null);
    expect(result.networkFee).toBe('1.5');
  });
});
