// Which error a caller gets first if several things are wrong with an amount: the order of the checks for each kind of
// request, through the operation itself.

import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { setAssetOff, setAssetOn } from '../../src/domain/assets/asset-service.ts';
import { inTransaction, type Deps } from '../../src/domain/deps.ts';
import { createPaymentDefaults } from '../../src/domain/merchants/payment-defaults.ts';
import { withdrawFees } from '../../src/domain/operator/fees.ts';
import { freezePayouts, unfreezePayouts } from '../../src/domain/operator/freezes.ts';
import { createPaymentCreator } from '../../src/domain/payments/create-payment.ts';
import { requestRefund, requestWithdrawal } from '../../src/domain/payouts/request.ts';
import { depositOnTestChain, type TestChainControl } from '../../src/domain/test-chain.ts';
import type { ErrorName } from '../../src/values/errors.ts';
import { operatorOf } from './operator/operate.fixture.ts';
import * as book from './payouts/book.fixture.ts';
import { chain, order, shop, setup } from './shop.fixture.ts';

const USDT = { currency: 'USDT', network: 'ETH' } as const;
const CONTRACT = '0x2222222222222222222222222222222222222222';
const UNAVAILABLE = { errorName: 'NETWORK_UNAVAILABLE', message: 'This network is not available at the moment' };

let deps: Deps;

beforeAll(() => {
  deps = { ...book.withNetwork(setup.deps), webhookAllowPrivate: false };
});
beforeEach(() => book.deposit(chain, order, 1_000_000n));

/** One fault of a request, and the error for it. */
interface Step {
  readonly wrong?: Readonly<Record<string, unknown>>;
  readonly expected: { readonly errorName: string; readonly message?: string; readonly details?: unknown };
  /** Repairs the fault where it lies in the database. */
  readonly mend?: () => Promise<unknown>;
}

/** Makes the request with all faults, and again after repairing each: the next one's error must come. */
async function descend<Request extends object>(
  ask: (request: Request) => Promise<unknown>,
  good: Request,
  steps: readonly Step[],
): Promise<void> {
  for (const [nth, { expected, mend }] of steps.entries()) {
    const wrongs = steps.slice(nth).map(({ wrong }) => wrong ?? {});
    const request = Object.assign({}, good, ...wrongs.reverse()) as Request;
    await expect(ask(request)).rejects.toMatchObject(expected);
    await mend?.();
  }
}

const refused = (errorName: ErrorName) => ({ errorName });
const fault = (path: string, message: string) => ({
  errorName: 'VALIDATION',
  message: `${path}: ${message}`,
  details: [{ path, message }],
});
const isOff: Step = {
  expected: { errorName: 'NETWORK_UNAVAILABLE', message: 'USDT on ETH is out of service' },
  mend: () => inTransaction(deps, (em) => setAssetOn(em, USDT)),
};

async function takeOff(): Promise<void> {
  const off = { ...USDT, cause: 'TRANSFER_FEE', reason: 'a test says so', createdBy: 'test' } as const;
  await inTransaction(deps, (em) => setAssetOff(em, off, deps.clock.now()));
}

async function freeze(): Promise<Step> {
  const { id } = await freezePayouts(operatorOf(deps), { reason: 'a test says so' });
  return { expected: refused('PAYOUTS_FROZEN'), mend: () => unfreezePayouts(operatorOf(deps), id) };
}

describe('an order', () => {
  const create = ({ over, ...input }: { over: Partial<Deps>; amount: string; currency: string; network: string }) => {
    const all = { ...deps, ...over };
    return createPaymentCreator(all, createPaymentDefaults(all))(shop, input, null);
  };
  const without = (): Partial<Deps> => ({ chains: new Map(), assetsOff: { isOff: () => true } });

  it.each([
    ['0.009999', 'BELOW_MINIMUM', 'The least amount is 0.01 USDT'],
    ['1000000.000001', 'ABOVE_MAXIMUM', 'The greatest amount is 1000000 USDT'],
  ])('asset, decimals, limits (%s), callback URL, network, service', async (amount, errorName, message) => {
    await descend(create, { over: {}, amount: '1', ...USDT }, [
      { wrong: { currency: 'DOGE' }, expected: refused('UNSUPPORTED_ASSET') },
      {
        wrong: { amount: '0.0000001' },
        expected: fault('input.amount', 'USDT has at most 6 decimals here'),
      },
      { wrong: { amount }, expected: { errorName, message } },
      { wrong: { callbackUrl: 'http://127.0.0.1/' }, expected: refused('WEBHOOK_URL_REFUSED') },
      { wrong: { over: without() }, expected: UNAVAILABLE },
      { wrong: { over: { assetsOff: { isOff: () => true } } }, expected: UNAVAILABLE },
    ]);
  });
});

describe('a withdrawal', () => {
  const good = () => ({ deps, ...USDT, amount: '0.5', address: book.RECIPIENT, merchantWithdrawalId: 'w-1' });
  const ask = ({ deps, ...request }: ReturnType<typeof good>) => requestWithdrawal(deps, shop, request, null);

  it.each([
    ['0.009999', 'BELOW_MINIMUM', 'The least amount is 0.01 USDT'],
    ['1000000.000001', 'ABOVE_MAXIMUM', 'The greatest amount is 1000000 USDT'],
  ])(
    'asset, decimals, limits (%s), network, address, own id, obstacles, balance',
    async (amount, errorName, message) => {
      await ask({ ...good(), amount: '0.01' });
      await takeOff();
      await descend(ask, { ...good(), merchantWithdrawalId: 'w-2' }, [
        { wrong: { currency: 'DOGE' }, expected: refused('UNSUPPORTED_ASSET') },
        { wrong: { amount: '0.0000001' }, expected: fault('input.amount', 'USDT has at most 6 decimals here') },
        { wrong: { amount }, expected: { errorName, message } },
        { wrong: { deps: { ...deps, chains: new Map() } }, expected: UNAVAILABLE },
        { wrong: { address: CONTRACT }, expected: refused('BAD_ADDRESS') },
        { wrong: { merchantWithdrawalId: 'w-1' }, expected: refused('DUPLICATE_WITHDRAWAL') },
        await freeze(),
        isOff,
        { wrong: { amount: '2' }, expected: refused('INSUFFICIENT_FUNDS') },
      ]);
    },
  );

  it('of "max" is judged once the balance is known, and by the same limits', async () => {
    await takeOff();
    const all = { ...good(), amount: 'max' };
    await descend(ask, all, [
      { wrong: { deps: { ...deps, chains: new Map() } }, expected: UNAVAILABLE },
      { wrong: { address: CONTRACT }, expected: refused('BAD_ADDRESS') },
      await freeze(),
      isOff,
    ]);
    await ask({ ...all, amount: '0.985', merchantWithdrawalId: 'w-0' });
    await expect(ask(all)).rejects.toMatchObject(refused('DUST'));
    await book.deposit(chain, await setup.order(shop), 2_000_000_000_000n);
    await expect(ask(all)).rejects.toMatchObject({
      errorName: 'ABOVE_MAXIMUM',
      message: 'The greatest amount is 1000000 USDT',
    });
  });
});

describe('a refund', () => {
  const good = () => ({ deps, paymentId: order.id, amount: '0.5', address: book.RECIPIENT });
  const ask = ({ deps, ...request }: ReturnType<typeof good>) => requestRefund(deps, shop, request, null);

  it('payment, network, address, obstacles, decimals, what is refundable, dust', async () => {
    await takeOff();
    await descend(ask, good(), [
      { wrong: { paymentId: 'ord_of_nobody' }, expected: refused('NOT_FOUND') },
      { wrong: { deps: { ...deps, chains: new Map() } }, expected: UNAVAILABLE },
      { wrong: { address: CONTRACT }, expected: refused('BAD_ADDRESS') },
      await freeze(),
      isOff,
      { wrong: { amount: '0.0000001' }, expected: fault('input.amount', 'USDT has at most 6 decimals here') },
      {
        wrong: { amount: '1.000001' },
        expected: { errorName: 'NOT_REFUNDABLE', message: '1 USDT of this payment can be refunded as it stands' },
      },
      { wrong: { amount: '0.009999' }, expected: refused('DUST') },
    ]);
  });
});

describe('a simulated deposit', () => {
  const paid: bigint[] = [];
  const simulation: TestChainControl = {
    deposit: ({ amount }) => {
      paid.push(amount);
      return Promise.reject(new Error('paid'));
    },
    mine: () => Promise.reject(new Error('mined')),
    reorg: () => Promise.reject(new Error('reorganised')),
  };
  const good = () => ({ simulations: new Map([['ETH', simulation]]), paymentId: order.id, amount: '0.5' });
  const ask = ({ simulations, ...request }: ReturnType<typeof good>) =>
    depositOnTestChain(deps, simulations, shop, request);

  it('payment, test chain, decimals, greatest amount', async () => {
    await descend(ask, good(), [
      { wrong: { paymentId: 'ord_of_nobody' }, expected: refused('NOT_FOUND') },
      {
        wrong: { simulations: new Map() },
        expected: { errorName: 'NETWORK_UNAVAILABLE', message: 'ETH has no test chain here' },
      },
      { wrong: { amount: '0.0000001' }, expected: fault('input.amount', 'has more than 6 decimals') },
      {
        wrong: { amount: '1000000.000001' },
        expected: { errorName: 'ABOVE_MAXIMUM', message: 'The amount is above the maximum' },
      },
    ]);
  });

  it.each([
    ['0.000001', 1n],
    ['1000000', 1_000_000_000_000n],
  ])('of %s is paid: there is no least amount', async (amount, units) => {
    await expect(ask({ ...good(), amount })).rejects.toThrow('paid');
    expect(paid.at(-1)).toBe(units);
  });
});

describe('a withdrawal of fees', () => {
  const good = () => ({ coldAddress: '0x52908400098527886E0F7030069857D2E4169EE7', currency: 'USDT', amount: '0.001' });
  const ask = ({ coldAddress, ...request }: ReturnType<typeof good>) => {
    const adapter = deps.chains.get('ETH')?.adapter;
    if (!adapter) throw new Error('no adapter');
    return withdrawFees(operatorOf(deps), { adapter, coldAddress }, request);
  };

  it.each(['0.0000001', '0'])('asset, amount (%s), address, obstacles, funds, dust', async (amount) => {
    await takeOff();
    const message = 'max, or an amount of at most 6 decimals, greater than zero';
    await descend(ask, good(), [
      { wrong: { currency: 'DOGE' }, expected: refused('UNSUPPORTED_ASSET') },
      { wrong: { amount }, expected: fault('amount', message) },
      { wrong: { coldAddress: CONTRACT }, expected: refused('BAD_ADDRESS') },
      { ...isOff, expected: UNAVAILABLE },
      await freeze(),
      { wrong: { amount: '1000000' }, expected: refused('INSUFFICIENT_FUNDS') },
      { wrong: { amount: '0.009999' }, expected: refused('DUST') },
    ]);
  });
});
