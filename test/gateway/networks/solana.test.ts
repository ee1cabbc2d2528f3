// Solana through the whole gateway, whose node is litesvm behind a small RPC server: orders are paid, succeed when
// their blocks are final, and their money is withdrawn. The test mines the blocks.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { associatedTokenAccount, TOKEN_PROGRAM } from '../../../src/chain/solana/address.ts';
import { compareCustody } from '../../../src/domain/ledger/reconciliation.ts';
import { verifyLedger } from '../../../src/domain/ledger/verify.ts';
import { newKey } from '../../doubles/solana/accounts.ts';
import { decode } from '../../doubles/solana/svm.ts';
import { startSolanaNode, type SolanaTestNode } from '../../doubles/solana/node.ts';
import { wallet } from '../../cli/wallet/run.fixture.ts';
import { graphql, newMerchant, type TestMerchant } from '../../support/clients.ts';
import { dataOf } from '../../support/expectations.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { until } from '../../support/until.ts';
import { DESKTOP, executablePath, launch, look } from '../../web/browser.fixture.ts';
import { expectPayableInBrowser } from '../../web/pay/payable-page.fixture.ts';

const DEADLINE_MS = 90_000;
const SOL = 1_000_000_000n;

let node: SolanaTestNode;
let gateway: TestGateway;
let shop: TestMerchant;

beforeAll(async () => {
  node = await startSolanaNode();
  gateway = await startTestGateway({
    SANDBOX_NETWORKS: 'ETH',
    SOL_RPC_URL: node.url,
    SOL_GENESIS_HASH: node.genesisHash,
    SOL_USDT_CONTRACT: node.contracts.get('USDT') ?? '',
    SOL_USDC_CONTRACT: node.contracts.get('USDC') ?? '',
  });
  shop = await newMerchant(gateway);
  await until(async () => (await currency('USDT')).available === true);
});
afterAll(async () => {
  await gateway.stop();
  await node.stop();
});

async function currency(code: string): Promise<Record<string, unknown>> {
  const { items } = dataOf(await shop.rest('GET', '/currencies')) as { items: Record<string, unknown>[] };
  return items.find((item) => item.network === 'SOL' && item.currency === code) ?? {};
}

interface Created {
  readonly orderId: string;
  readonly address: string;
}

const create = async (code: string, amount: string) =>
  dataOf(await shop.rest('POST', '/payments', { amount, currency: code, network: 'SPL' }), 201) as unknown as Created;

/** What the gateway makes for a payer's wallet, or the code of its refusal. No token. */
async function transactionFor(id: string, payer: string): Promise<{ data: unknown; code: unknown }> {
  const query = 'query ($id: ID!, $payer: String!) { walletTransaction(id: $id, payer: $payer) }';
  const { body } = await graphql(gateway)(query, { id, payer });
  return { data: body.data?.walletTransaction, code: body.errors?.[0]?.extensions?.errorCode };
}

const payment = async (id: string) => dataOf(await shop.rest('GET', `/payments/${id}`)) as Record<string, unknown>;

/** Whether the watcher has read every block. */
async function isCaughtUp(): Promise<boolean> {
  const [row] = await gateway.sql<{ height: string }>(`select height from chain_cursor where network = 'SOL'`);
  return Number(row?.height) === node.chain.tip().slot;
}

/** Waits until a call returns a status, while blocks come. */
async function untilStatus(path: string, status: string): Promise<Record<string, unknown>> {
  return until(async () => {
    if (await isCaughtUp()) node.chain.mine(8);
    const found = dataOf(await shop.rest('GET', path)) as Record<string, unknown>;
    return found.status === status ? found : null;
  }, DEADLINE_MS);
}

const withdraw = async (code: string, amount: string, address: string) => {
  const request = { currency: code, network: 'SOL', amount, address };
  return dataOf(await shop.rest('POST', '/wallet/withdraw', request), 201) as { withdrawalId: string };
};

/** The wallet that pays all fees, which the operator fills. */
async function fillGasWallet(): Promise<string> {
  const [row] = await gateway.sql<{ key: string }>(
    `select address_key as key from sender where network = 'SOL' and role = 'GAS'`,
  );
  node.pay({ to: row?.key ?? '', currency: 'SOL', amount: SOL });
  node.chain.mine();
  return row?.key ?? '';
}

const holds = (address: string, code: string): bigint => {
  const { lite } = node.chain.svm();
  const mint = node.contracts.get(code) ?? null;
  if (mint === null) return lite.getBalance(address as never) ?? 0n;
  const account = lite.getAccount(associatedTokenAccount(address, mint, TOKEN_PROGRAM) as never);
  return account.exists ? Buffer.from(account.data).readBigUInt64LE(64) : 0n;
};

/** A wallet as extensions register theirs: its key is the test's, and so is the way to the chain. */
const STANDARD_WALLET = `{
  const wallet = {
    version: '1.0.0', name: 'Standard Wallet', icon: 'data:image/png;base64,', chains: ['solana:localnet'], accounts: [],
    features: {
      'standard:connect': { version: '1.0.0', connect: async () => ({ accounts: [{ address: await addressOfWallet() }] }) },
      'solana:signAndSendTransaction': {
        version: '1.0.0',
        signAndSendTransaction: ({ account, transaction, chain }) =>
          sendByWallet(account.address, chain, btoa(String.fromCharCode(...transaction))),
      },
    },
  };
  const elsewhere = { ...wallet, name: 'Wallet of another chain', chains: ['solana:mainnet'] };
  const callback = ({ register }) => register(wallet, elsewhere);
  addEventListener('wallet-standard:app-ready', ({ detail }) => callback(detail));
  dispatchEvent(new CustomEvent('wallet-standard:register-wallet', { detail: callback }));
}`;

async function payInBrowser(): Promise<void> {
  const customer = newKey();
  node.pay({ to: customer.address, currency: 'SOL', amount: SOL });
  node.pay({ to: customer.address, currency: 'USDT', amount: 25_500_000n });
  node.chain.mine();
  const { orderId } = await create('USDT', '25.5');
  const browser = await launch();
  try {
    const { page, faults } = await look(browser, `${gateway.url}/pay/${orderId}`, { viewport: DESKTOP });
    await page.exposeFunction('addressOfWallet', () => customer.address);
    const sent: string[] = [];
    await page.exposeFunction('sendByWallet', (from: string, chain: string, transaction: string) => {
      sent.push(`${chain} ${from}`);
      const message = Buffer.from(transaction, 'base64').subarray(65);
      return node.chain.submit(Buffer.concat([Buffer.of(1), customer.sign(message), message]));
    });
    await page.addInitScript({ content: STANDARD_WALLET });
    await page.reload();
    const buttons = page.locator('#browser-wallets button');
    await buttons.getByText('Pay with Standard Wallet').click();
    await page.getByText('Sent. It shows here as soon as the network has seen it.').waitFor();
    expect([sent, await buttons.count(), faults]).toEqual([[`solana:localnet ${customer.address}`], 0, []]);
    await untilStatus(`/payments/${orderId}`, 'SUCCEEDED');
    await page.locator('#status .heading').getByText('Payment complete').waitFor();
  } finally {
    await browser.close();
  }
}

describe('Solana', () => {
  it('is offered with its mints, decimals and confirmations', async () => {
    expect(await currency('USDT')).toMatchObject({
      ...{ decimals: 6, confirmations: 32, available: true },
      contract: node.contracts.get('USDT'),
    });
    expect(await currency('SOL')).toMatchObject({ decimals: 9, contract: null, available: true });
  });

  it('an order of less than an account must hold is refused, as nobody could pay it', async () => {
    const refused = await shop.rest('POST', '/payments', { amount: '0.0009', currency: 'SOL', network: 'SOL' });
    expect(refused.body).toMatchObject({ error: { code: '3002' } });
  });

  if (executablePath !== undefined)
    it(
      'its pages ask for the coin to the last of nine decimals and for tokens, with codes that wallets read (Solana Pay)',
      async () => {
        const [coin, token] = [await create('SOL', '1.000000001'), await create('USDT', '25.5')];
        await expectPayableInBrowser(
          gateway,
          { id: coin.orderId, network: 'Solana (SOL)', choice: null },
          { id: token.orderId, network: 'Solana (SOL)', choice: 'Solana (SPL)' },
        );
      },
      DEADLINE_MS,
    );

  it.each([
    ['USDT', '25.5', 25_500_000n],
    ['USDC', '3', 3_000_000n],
    ['SOL', '1.000000001', 1_000_000_001n],
  ])(
    'an order in %s is paid, and succeeds when the payment is final',
    async (code, amount, units) => {
      const { orderId, address } = await create(code, amount);
      const txHash = node.pay({ to: address, currency: code, amount: units });
      node.chain.holdFinal(node.chain.tip().slot);
      node.chain.mine(40);
      await until(async () => (await payment(orderId)).confirmations === 31);
      expect(await payment(orderId)).toMatchObject({ status: 'CONFIRMING', requiredConfirmations: 32 });
      node.chain.holdFinal(null);
      const paid = await untilStatus(`/payments/${orderId}`, 'SUCCEEDED');
      expect(paid).toMatchObject({ network: 'SOL', amountConfirmed: amount, exception: null });
      expect(paid.transactions).toMatchObject([{ txHash, amount, status: 'CONFIRMED' }]);
    },
    60_000,
  );

  it.each([
    ['SOL', '0.75', 0n],
    ['USDC', '4.5', 4_500_000n],
  ])(
    "what the gateway makes for a customer's wallet in %s is signed by it, and pays the order",
    async (code, amount, tokens) => {
      const customer = newKey();
      node.pay({ to: customer.address, currency: 'SOL', amount: SOL });
      if (tokens > 0n) node.pay({ to: customer.address, currency: code, amount: tokens });
      node.chain.mine();
      const { orderId } = await create(code, amount);
      const made = await transactionFor(orderId, customer.address);
      const unsigned = Buffer.from(String(made.data), 'base64');
      const message = unsigned.subarray(65);
      const signed = Buffer.concat([Buffer.of(1), customer.sign(message), message]);
      expect(typeof node.chain.submit(signed)).toBe('string');
      const paid = await untilStatus(`/payments/${orderId}`, 'SUCCEEDED');
      expect(paid).toMatchObject({ amountConfirmed: amount, exception: null });
      if (tokens > 0n) expect(holds(customer.address, code)).toBe(0n);
      expect(await transactionFor(orderId, customer.address)).toMatchObject({ code: '3005' });
    },
    60_000,
  );

  if (executablePath !== undefined)
    it('a wallet of the Wallet Standard in the browser pays from the page', payInBrowser, 60_000);

  it('a transaction is made only for an address, and for a payment', async () => {
    const { orderId } = await create('SOL', '1');
    const payer = newKey().address;
    for (const wrong of ['', 'nobody', '1'.repeat(31), '0x52908400098527886E0F7030069857D2E4169EE7'])
      expect(await transactionFor(orderId, wrong)).toMatchObject({ code: '4002' });
    for (const id of ['', 'ord_00000000000000000000000000000000', `inv_${orderId.slice(4)}`])
      expect(await transactionFor(id, payer)).toMatchObject({ code: '2004' });
  });

  it('a payment that a fork throws out is taken back, and counts when it comes again', async () => {
    const { orderId, address } = await create('USDT', '7');
    node.pay({ to: address, currency: 'USDT', amount: 7_000_000n });
    node.chain.mine(3);
    await until(async () => (await payment(orderId)).status === 'CONFIRMING');
    node.chain.fork(3);
    await until(async () => (await payment(orderId)).status === 'PENDING');
    node.pay({ to: address, currency: 'USDT', amount: 7_000_000n });
    const paid = await untilStatus(`/payments/${orderId}`, 'SUCCEEDED');
    expect((paid.transactions as { status: string }[]).map(({ status }) => status).sort()).toEqual([
      'CONFIRMED',
      'ORPHANED',
    ]);
  });

  it('withdrawals are paid out of swept deposits, and the gas wallet pays for all of it', async () => {
    const gas = await fillGasWallet();
    const customer = newKey().address;
    const before = holds(gas, 'SOL');
    const { withdrawalId } = await withdraw('USDT', '20', customer);
    const done = await untilStatus(`/wallet/withdrawals/${withdrawalId}`, 'COMPLETED');
    expect(holds(customer, 'USDT')).toBe(20_000_000n);
    expect(node.chain.find(String(done.txHash))).not.toBeNull();
    expect(holds(customer, 'SOL')).toBe(0n);
    expect(holds(gas, 'SOL')).toBeLessThan(before);
    const coin = await withdraw('SOL', '0.5', customer);
    await untilStatus(`/wallet/withdrawals/${coin.withdrawalId}`, 'COMPLETED');
    expect(holds(customer, 'SOL')).toBe(SOL / 2n);
  });

  /** Accepts transactions and forgets them, as busy networks do; returns those that it received. */
  function forget(): string[] {
    const sent: string[] = [];
    node.override(({ method, params }) => {
      if (method !== 'sendTransaction') return undefined;
      sent.push(String(params[0]));
      return 'taken';
    });
    return sent;
  }

  /** The states of the newest transactions, oldest first: those signed after the first `since`. */
  const transfersSince = async (count: number) =>
    (
      await gateway.sql<{ status: string }>('select status from transfer order by created_at, nonce, id offset $1', [
        count,
      ])
    ).map(({ status }) => status);

  it('what no block took in time is signed anew, and the payout arrives once', async () => {
    const customer = newKey().address;
    const before = (await transfersSince(0)).length;
    const sent = forget();
    const { withdrawalId } = await withdraw('USDC', '0.5', customer);
    await until(async () => {
      if (await isCaughtUp()) node.chain.mine(8);
      return (await transfersSince(before)).length > 1;
    }, DEADLINE_MS);
    expect((await transfersSince(before))[0]).toBe('EXPIRED');
    node.override(null);
    await untilStatus(`/wallet/withdrawals/${withdrawalId}`, 'COMPLETED');
    expect(holds(customer, 'USDC')).toBe(500_000n);
    // The first ones are sent again by a third party, and none is accepted.
    for (const raw of sent) node.chain.submit(Buffer.from(raw, 'base64'));
    node.chain.mine(3);
    expect(holds(customer, 'USDC')).toBe(500_000n);
  });

  it('what lands late, as the last block that may take it is made, is not signed twice', async () => {
    const customer = newKey().address;
    const before = (await transfersSince(0)).length;
    const sent = forget();
    const { withdrawalId } = await withdraw('USDC', '0.25', customer);
    await until(async () => (sent.length > 0 ? true : null), DEADLINE_MS);
    const raw = Buffer.from(sent[0] ?? '', 'base64');
    const anchor = node.chain.blocks.find(({ hash }) => hash === decode(raw).blockhash);
    node.chain.mine((anchor?.height ?? 0) + 149 - node.chain.tip().height);
    expect(node.chain.submit(raw)).toEqual(expect.any(String));
    node.chain.mine();
    node.override(null);
    await untilStatus(`/wallet/withdrawals/${withdrawalId}`, 'COMPLETED');
    expect(await transfersSince(before)).not.toContain('EXPIRED');
    expect(holds(customer, 'USDC')).toBe(250_000n);
  });

  it('a swept deposit address is left with exactly nothing', async () => {
    const [row] = await gateway.sql<{ key: string }>(
      `select sender_key as key from transfer where network = 'SOL' and currency = 'SOL' and purpose = 'SWEEP'`,
    );
    expect(holds(row?.key ?? '', 'SOL')).toBe(0n);
  });

  it.each([
    [
      'a token account',
      () => associatedTokenAccount(newKey().address, node.contracts.get('USDT') ?? '', TOKEN_PROGRAM),
    ],
    ['an address of another network', () => '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'],
  ])('a withdrawal to %s is refused (4002)', async (_what, address) => {
    const request = { currency: 'USDT', network: 'SOL', amount: '1', address: address() };
    expect((await shop.rest('POST', '/wallet/withdraw', request)).body).toMatchObject({ error: { code: '4002' } });
  });

  it('the book is balanced, and holds what the chain says that we hold', async () => {
    expect((await verifyLedger(gateway.deps.db)).faults).toEqual([]);
    const adapter = gateway.deps.chains.get('SOL')?.adapter;
    if (!adapter) throw new Error('There is no adapter');
    await until(isCaughtUp, DEADLINE_MS);
    const compared = await until(() => compareCustody(gateway.deps.db, adapter));
    expect(compared.lines.map(({ currency: code, book, chain }) => ({ code, difference: chain - book }))).toEqual(
      ['SOL', 'USDT', 'USDC'].map((code) => ({ code, difference: 0n })),
    );
    expect(await gateway.sql('select 1 from stray_address')).toEqual([]);
  });

  /** What an operator has on this gateway's machine. */
  const operator = () => ({
    ...{ DATA_DIR: gateway.config.dataDir, DATABASE_URL: gateway.config.databaseUrl ?? '', SANDBOX_NETWORKS: 'ETH' },
    ...{ SOL_RPC_URL: node.url, SOL_GENESIS_HASH: node.genesisHash },
    ...{ SOL_USDT_CONTRACT: node.contracts.get('USDT') ?? '', SOL_USDC_CONTRACT: node.contracts.get('USDC') ?? '' },
  });

  it('the seed gives every address, those that nobody was given yet too, and the wallets', async () => {
    // Given-out addresses are replaced by new ones.
    await until(async () => (await gateway.sql('select 1 from address_pool where not taken')).length >= 500);
    const [row] = await gateway.sql<{ count: number }>(
      `select ((select count(*) from address_pool) + (select count(*) from sender where role <> 'DEPOSIT'))::int as count`,
    );
    expect(row?.count).toBeGreaterThan(500);
    const verified = await wallet('verify', operator());
    expect(verified).toEqual({ code: 0, out: `${String(row?.count)} addresses match\n`, err: '' });
    const [gas] = await gateway.sql<{ key: string }>(
      `select address_key as key from sender where network = 'SOL' and role = 'GAS'`,
    );
    expect((await wallet('show', operator())).out).toContain(`gas wallet ${gas?.key ?? ''}  (m/44'/501'/1'/1')`);
  });

  it('an address that somebody put in place of one of ours is found before money goes there', async () => {
    const [free] = await gateway.sql<{ index: string; key: string }>(
      'select index::text, address_key as key from address_pool where not taken order by address_pool.index desc limit 1',
    );
    const replace = (key: string) =>
      gateway.sql('update address_pool set address = $1, address_key = $1 where index = $2', [key, free?.index]);
    const foreign = newKey().address;
    await replace(foreign);
    const { code, out } = await wallet('verify', operator());
    await replace(free?.key ?? '');
    expect(code).toBe(1);
    expect(out).toContain(
      `✗ made ahead: the database has ${foreign} at index ${free?.index ?? ''}, the seed ${free?.key ?? ''}`,
    );
  });

  it('sweeps are shown as the signer would make them: all that an address holds, paid by the gas wallet', async () => {
    const { orderId, address } = await create('SOL', '1.25');
    node.pay({ to: address, currency: 'SOL', amount: SOL + SOL / 4n });
    await untilStatus(`/payments/${orderId}`, 'SUCCEEDED');
    const { code, out, err } = await wallet('sweep --dry-run', operator());
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(new RegExp(`${address}  1\\.25 SOL  sweep costs up to 0\\.0000\\d+ SOL`));
    expect(out).toMatch(/SOL: sweeps would move \d[\d.]* SOL and cost up to 0\.000\d+ SOL/);
  });

  it('nothing went wrong meanwhile', () => {
    expect(gateway.logged.filter(({ level }) => Number(level) >= 50)).toEqual([]);
  });
});
