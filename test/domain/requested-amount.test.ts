// Every kind of request against every check of its amount: the error it gets, or that the check does not apply.

import { beforeAll, describe, expect, it } from '@jest/globals';
import { setAssetOff, setAssetOn, type AssetOffCause } from '../../src/domain/assets/asset-service.ts';
import { inTransaction, type Chain, type Deps } from '../../src/domain/deps.ts';
import { freezePayouts, unfreezePayouts } from '../../src/domain/operator/freezes.ts';
import {
  decimalsFault,
  findChain,
  findNamedAsset,
  readNamedAmount,
  readUnits,
  refuseFrozen,
  refuseOutOfService,
  refuseUnsendable,
  requireAsset,
  requireChain,
  requireNetwork,
  requireTestChain,
  type AmountKind,
  type PayoutKind,
} from '../../src/domain/requested-amount.ts';
import { assetOf } from '../../src/values/assets.ts';
import { GatewayError } from '../../src/values/errors.ts';
import { operatorOf } from './operator/operate.fixture.ts';
import * as book from './payouts/book.fixture.ts';
import { shop, setup } from './shop.fixture.ts';

const USDT = assetOf({ currency: 'USDT', network: 'ETH' });
const SOL = assetOf({ currency: 'SOL', network: 'SOL' });
const ETH_NODE = new Set(['ETH'] as const);

let deps: Deps;
let chain: Chain;

beforeAll(() => {
  deps = book.withNetwork(setup.deps);
  chain = requireChain('REFUND', deps, USDT);
});

/** What a call returns, or its error: the code, the message, and the path of a fault. */
function resultOf(call: () => unknown): unknown {
  try {
    return call();
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    const { row, message, details } = error;
    return details ? [row.code, ...details.flatMap((fault) => [fault.path, fault.message])] : [row.code, message];
  }
}

const toldLater = async (call: () => Promise<unknown>): Promise<unknown> =>
  call().then(
    (value) => value,
    (error: unknown) =>
      resultOf(() => {
        throw error;
      }),
  );

/** Reads an amount of USDT on ETH as in requests of this kind: with the asset's name, or for a known asset. */
function read(kind: AmountKind, amount: string): unknown {
  const named = { currency: 'usdt', network: 'erc20', amount };
  if (kind === 'ORDER') return readNamedAmount(kind, ETH_NODE, named).units;
  if (kind === 'WITHDRAWAL') return readNamedAmount(kind, ETH_NODE, named).units;
  return readUnits(kind, USDT, amount);
}

interface Answers {
  readonly decimals: unknown;
  readonly zero: unknown;
  readonly max: unknown;
  readonly below: unknown;
  readonly above: unknown;
}

const TOO_MANY = ['2001', 'input.amount', 'USDT has at most 6 decimals here'];
const FROM_FEES = ['2001', 'amount', 'max, or an amount of at most 6 decimals, greater than zero'];
const FROM_SUSPENSE = ['2001', 'amount', 'an amount of at most 6 decimals, greater than zero'];
const LEAST = ['3002', 'The least amount is 0.01 USDT'];
const GREATEST = ['3003', 'The greatest amount is 1000000 USDT'];
const FAUCET = ['2001', 'input.amount', 'has more than 6 decimals'];
const [BELOW, ABOVE] = [9_999n, 1_000_000_000_001n];

const PURE: Readonly<Record<AmountKind, Answers>> = {
  ORDER: { decimals: TOO_MANY, zero: LEAST, max: TOO_MANY, below: LEAST, above: GREATEST },
  WITHDRAWAL: { decimals: TOO_MANY, zero: LEAST, max: null, below: LEAST, above: GREATEST },
  REFUND: { decimals: TOO_MANY, zero: 0n, max: TOO_MANY, below: BELOW, above: ABOVE },
  SIMULATION: {
    ...{ decimals: FAUCET, zero: 0n, max: FAUCET, below: BELOW },
    above: ['3003', 'The amount is above the maximum'],
  },
  FEES: { decimals: FROM_FEES, zero: FROM_FEES, max: FROM_FEES, below: BELOW, above: ABOVE },
  SUSPENSE: { decimals: FROM_SUSPENSE, zero: FROM_SUSPENSE, max: FROM_SUSPENSE, below: BELOW, above: ABOVE },
};

const AMOUNTS: Readonly<Record<keyof Answers, string>> = {
  ...{ decimals: '1.0000001', zero: '0', max: 'max', below: '0.009999', above: '1000000.000001' },
};

describe.each(Object.entries(PURE) as [AmountKind, Answers][])('%s', (kind, answers) => {
  it.each(Object.keys(AMOUNTS) as (keyof Answers)[])('%s', (question) => {
    expect(resultOf(() => read(kind, AMOUNTS[question]))).toEqual(answers[question]);
  });

  it('takes what is within all bounds, trailing zeros and all', () => {
    expect(read(kind, '1.50000000')).toBe(1_500_000n);
  });

  it('tells ahead of the work what it would tell of decimals', () => {
    const ahead = decimalsFault(kind, USDT, AMOUNTS.decimals);
    expect(answers.decimals).toEqual(['2001', expect.any(String), ahead]);
    expect(decimalsFault(kind, USDT, '1.50000000')).toBeNull();
  });
});

describe('the asset that a caller names', () => {
  it.each([
    ['usdt', 'eth', USDT],
    ['USDT', 'ERC20', USDT],
    ['DOGE', 'ETH', null],
    ['USDT', 'BTC', null],
    ['USDT', 'nowhere', null],
  ])('%s on %s', (currency, network, asset) => {
    const refusal = ['3001', 'This currency is not supported on this network'];
    expect(findNamedAsset(currency, network)).toBe(asset);
    expect(resultOf(() => requireAsset(currency, network))).toEqual(asset ?? refusal);
    for (const kind of ['ORDER', 'WITHDRAWAL'] as const) {
      const named = { currency, network, amount: '1' };
      const read = resultOf(() => readNamedAmount(kind as 'ORDER', ETH_NODE, named));
      expect(read).toEqual(asset ? { asset, units: 1_000_000n } : refusal);
    }
  });

  it('has a network by itself where no amount comes with it', () => {
    expect(requireNetwork('matic')).toBe('POLYGON');
    expect(resultOf(() => requireNetwork('nowhere'))).toEqual([
      '3001',
      'This currency is not supported on this network',
    ]);
  });
});

describe('the minimum', () => {
  it.each([
    ['with a node, what the network carries', new Set(['SOL'] as const), '0.001'],
    ['without one, what the contract says', new Set<never>(), '0.0001'],
  ])('%s', (_, networks, least) => {
    const named = { currency: 'SOL', network: 'SOL', amount: '0.00001' };
    expect(resultOf(() => readNamedAmount('ORDER', networks, named))).toEqual([
      '3002',
      `The least amount is ${least} SOL`,
    ]);
    expect(readNamedAmount('ORDER', networks, { ...named, amount: least }).asset).toBe(SOL);
  });
});

describe('availability', () => {
  const KINDS = Object.keys(PURE) as AmountKind[];
  const unavailable = ['3007', 'This network is not available at the moment'];
  const withChain = (fields: Partial<Chain>): Deps => ({
    ...deps,
    chains: new Map([['ETH', { ...chain, ...fields }]]),
  });

  it.each(KINDS)('%s: only with a node that is available and knows the asset', (kind) => {
    expect(requireChain(kind, deps, USDT)).toBe(chain);
    expect(requireChain(kind, withChain({ isAvailable: () => true }), USDT).adapter).toBe(chain.adapter);
    const usdc = assetOf({ currency: 'USDC', network: 'ETH' });
    for (const [lacking, asset] of [
      [{ ...deps, chains: new Map() }, USDT],
      [withChain({ isAvailable: () => false }), USDT],
      [deps, usdc],
    ] as const) {
      expect(findChain(kind, lacking, asset)).toBeNull();
      expect(resultOf(() => requireChain(kind, lacking, asset))).toEqual(unavailable);
    }
  });

  it.each(KINDS)('%s: of an asset that is out of service, for orders only', (kind) => {
    const off = { ...deps, assetsOff: { isOff: () => true } };
    expect(findChain(kind, off, USDT)).toBe(kind === 'ORDER' ? null : chain);
  });

  it('of a test chain is told by its network', () => {
    expect(requireTestChain(new Map([['ETH', 'anvil']]), 'ETH')).toBe('anvil');
    expect(resultOf(() => requireTestChain(new Map(), 'ETH'))).toEqual(['3007', 'ETH has no test chain here']);
  });
});

describe('what is sent', () => {
  const OFF = 'USDT on ETH is out of service';
  const SENT: readonly [PayoutKind, { off: string; above: unknown }][] = [
    ['WITHDRAWAL', { off: OFF, above: GREATEST }],
    ['REFUND', { off: OFF, above: undefined }],
    ['FEES', { off: 'This network is not available at the moment', above: undefined }],
  ];

  it.each(SENT)('%s: not below the least amount, nor above the maximum where there is one', (kind, { above }) => {
    const send = (units: bigint) =>
      resultOf(() => refuseUnsendable(kind, chain.adapter, USDT, { address: book.RECIPIENT, units }));
    expect(send(BELOW)).toEqual(['4003', 'The amount is too small to be sent']);
    expect(send(10_000n)).toBeUndefined();
    expect(send(1_000_000_000_000n)).toBeUndefined();
    expect(send(ABOVE)).toEqual(above);
  });

  it.each(SENT)('%s: not while the token takes a fee; an operator may stop orders alone', async (kind, { off }) => {
    const ask = (cause: AssetOffCause) =>
      inTransaction(deps, async (em) => {
        await setAssetOff(em, { ...USDT, cause, reason: 'why', createdBy: 'test' }, deps.clock.now());
        const answer = await toldLater(() => refuseOutOfService(kind, em, USDT));
        await setAssetOn(em, USDT);
        return answer;
      });
    expect(await ask('TRANSFER_FEE')).toEqual(['3007', off]);
    expect(await ask('OPERATOR')).toBeUndefined();
  });

  it('nothing of a merchant, or of the gateway, whose payouts are frozen', async () => {
    const ask = (merchantId: string | null) =>
      toldLater(() => inTransaction(deps, (em) => refuseFrozen(em, merchantId, USDT)));
    const frozen = ['4009', 'The operator has frozen payouts; try again later'];
    const one = await freezePayouts(operatorOf(deps), { merchantId: shop, reason: 'why' });
    expect([await ask(shop), await ask(null)]).toEqual([frozen, undefined]);
    await unfreezePayouts(operatorOf(deps), one.id);
    const all = await freezePayouts(operatorOf(deps), { reason: 'why' });
    expect([await ask(shop), await ask(null)]).toEqual([frozen, frozen]);
    await unfreezePayouts(operatorOf(deps), all.id);
    expect([await ask(shop), await ask(null)]).toEqual([undefined, undefined]);
  });
});
