// The story of the networks: on each network that can run here, one order is paid and the money is withdrawn, with the
// transactions shown. Each chain is named for what it is.

import { randomUUID } from 'node:crypto';
import { withLitecoin, withSolana, withTron, type DemoChain } from './chains.ts';
import { expectLike } from './support/expect.ts';
import { deposit, expectState } from './orders.ts';
import type { PreparedStory, Stage } from './run.ts';
import type { PaymentOrder } from './support/shapes.ts';
import { waitUntil } from './support/wait.ts';

/** One network of the story. */
export interface NetworkLine {
  readonly network: string;
  /** The orders to pay, one after another. */
  readonly orders: readonly { readonly currency: string; readonly amount: string }[];
  /** A description of what runs the chain. */
  readonly on: string;
  /** An external address on the network, to which the money is withdrawn. */
  readonly recipient: string;
  /** Starts the chain, or returns why it cannot run here; null if the sandbox runs it itself. */
  readonly start: (() => Promise<DemoChain | string>) | null;
}

const SOMEBODY = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const OWN = 'an anvil that the sandbox runs, with Turnpike’s test tokens';

/** The networks of the story. */
const LINES: readonly NetworkLine[] = [
  { network: 'ETH', orders: [{ currency: 'USDT', amount: '25' }], on: OWN, recipient: SOMEBODY, start: null },
  { network: 'POLYGON', orders: [{ currency: 'USDC', amount: '12.5' }], on: OWN, recipient: SOMEBODY, start: null },
  {
    ...{ network: 'LTC', orders: [{ currency: 'LTC', amount: '1.5' }], start: withLitecoin },
    on: 'a litecoind in regtest that the sandbox runs',
    recipient: 'rltc1qcr8te4kr609gcawutmrza0j4xv80jy8z8dz7lc',
  },
  {
    ...{ network: 'SOL', start: withSolana },
    orders: [
      { currency: 'SOL', amount: '0.75' },
      { currency: 'USDC', amount: '8.25' },
    ],
    on: 'litesvm, which is Solana’s virtual machine with its token programs; the blocks around it are our tests’',
    recipient: '9aE476sH92Vz7DMPyq5WLPkrKWivxeuTKEFKd2sZZcde',
  },
  {
    ...{ network: 'TRON', orders: [{ currency: 'USDT', amount: '40' }], start: withTron },
    on: 'our tests’ double of a TRON node: no node of that network runs here',
    recipient: 'TSeJkUh4Qv67VNFwY8LaAxERygNdy6NQZK',
  },
];

interface Started {
  readonly line: NetworkLine;
  /** Null for a chain that the sandbox runs. */
  readonly chain: DemoChain | null;
}

/** Starts the chains that can run here; the story then visits all of them. */
export async function prepareNetworks(): Promise<PreparedStory> {
  const started: Started[] = [];
  const left: string[] = [];
  for (const line of LINES) {
    const chain = line.start === null ? null : await line.start();
    if (typeof chain === 'string') left.push(`${line.network} is left out: ${chain}`);
    else started.push({ line, chain });
  }
  const env = Object.assign({}, ...started.map(({ chain }) => chain?.env ?? {})) as Record<string, string>;
  return {
    env,
    tell: (stage) => tellNetworks(stage, started, left),
    stop: async () => {
      for (const { chain } of started) await chain?.stop();
    },
  };
}

async function tellNetworks(stage: Stage, started: readonly Started[], left: readonly string[]): Promise<void> {
  const { http, printer } = stage;
  printer.step('Make a merchant');
  const body = { email: `networks-${randomUUID()}@example.com`, companyName: 'Eleven Gates' };
  const made = await http.call<{ apiKey: { keyId: string; key: string } }>('POST', '/merchant', { body, status: 201 });
  const { keyId, key: secret } = made.data.apiKey;
  const exchanged = await http.call<{ accessToken: string }>('POST', '/auth/token', { body: { keyId, secret } });
  const shop = { token: exchanged.data.accessToken };
  for (const one of started) {
    await open(stage, shop, one);
    for (const order of one.line.orders) await payOne(stage, shop, one, order);
    await stage.verifyBook();
  }
  for (const reason of left) printer.say(reason);
}

/** Waits until the network is available, and fills its gas wallet where an operator has to. */
async function open({ http, printer, readWallet }: Stage, { token }: Shop, { line, chain }: Started): Promise<void> {
  const { network, orders, on } = line;
  printer.step(`${network}, on ${on}`);
  const isThere = async () => {
    const { items } = await http.look<{ items: Listed[] }>('/currencies', token);
    const offered = items.filter((item) => item.network === network && item.available);
    return orders.every(({ currency }) => offered.some((item) => item.currency === currency)) ? true : null;
  };
  await waitUntil(`${network} to be available`, isThere);
  if (!chain?.gas) return;
  const { name, currency, amount } = chain.gas;
  const own = (await readWallet()).split('\n').find((text) => text.startsWith(`On ${name} `));
  const to = /gas wallet (\w+)/.exec(own ?? '')?.[1] ?? '';
  printer.met(
    `The operator fills the gas wallet ${to} with ${amount} ${currency} by ${chain.pay({ to, currency, amount })}`,
  );
}

async function payOne(stage: Stage, shop: Shop, { line, chain }: Started, wanted: Order): Promise<void> {
  const { http, printer } = stage;
  const { network, recipient: address } = line;
  const { currency, amount } = wanted;
  const { token } = shop;
  const body = { amount, currency, network };
  const show = ['orderId', 'address', 'network'];
  const { data: order } = await http.call<PaymentOrder>('POST', '/payments', { token, body, status: 201, show });
  if (chain?.gas) chain.pay({ to: order.address, currency, amount });
  else await deposit(stage, shop, order.orderId, {});
  await expectState(stage, shop, order.orderId, { status: 'SUCCEEDED', amountConfirmed: amount });
  const paid = await http.look<{ transactions: Transaction[] }>(`/payments/${order.orderId}`, token);
  for (const { txHash, blockNumber } of paid.transactions) printer.met(`Paid by ${txHash} in block ${blockNumber}`);

  const asked = { ...{ currency, network, address }, amount: 'max' };
  const { data } = await http.call<{ withdrawalId: string }>('POST', '/wallet/withdraw', {
    ...{ token, body: asked, status: 201, show: ['withdrawalId', 'amount', 'status'] },
  });
  const look = async () => {
    const seen = await http.look<Withdrawal>(`/wallet/withdrawals/${data.withdrawalId}`, token);
    return seen.status === 'COMPLETED' ? seen : null;
  };
  const completed = await waitUntil('the withdrawal to be COMPLETED', look, { deadlineMs: 60_000 });
  expectLike('the withdrawal', { ...completed }, { network, currency, txHash: /./ });
  printer.met(`Paid out by ${completed.txHash ?? ''}`);
}

type Shop = { readonly token: string };
type Order = NetworkLine['orders'][number];

interface Listed {
  readonly currency: string;
  readonly network: string;
  readonly available: boolean;
}

interface Transaction {
  readonly txHash: string;
  readonly blockNumber: number;
}

interface Withdrawal {
  readonly status: string;
  readonly txHash: string | null;
}
