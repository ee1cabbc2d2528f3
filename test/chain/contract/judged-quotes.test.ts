// Who is to blame when a transfer cannot be estimated, on each kind of account chain: a node in front of the real one,
// or of its double, gives no usable answer for some recipients.

import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { AccountAdapter } from '../../../src/chain/adapter.ts';
import { ChainUnavailable } from '../../../src/chain/errors.ts';
import type { TransactionRequest } from '../../../src/chain/transactions.ts';
import { createNodePool } from '../../../src/chain/pool/node-pool.ts';
import { bytesOfAddress } from '../../../src/chain/tron/address.ts';
import { decodeBase58 } from '../../../src/chain/base58.ts';
import { PASS, startMeddlingProxy, type MeddlingProxy } from '../../support/proxies/meddling-proxy.ts';
import { PAYER, SHOP, OTHER_PAYER, startTestChain } from '../evm/node.fixture.ts';
import { createSolanaSetup, SOL } from '../solana/setup.fixture.ts';
import { createTronSetup, TRX } from '../tron/setup.fixture.ts';

/** How to recognise, on the wire, an estimate of a transfer and its recipient. */
interface Wire {
  isEstimate(path: string, body: string): boolean;
  names(body: string, recipient: string): boolean;
  readonly answer: string;
}

interface Setup {
  readonly url: string;
  readonly wire: Wire;
  readonly request: TransactionRequest;
  /** A recipient of our own, which no issuer or contract can block. */
  readonly own: string;
  adapterOf(url: string): AccountAdapter;
  stop(): Promise<void>;
}

const WORLDS: Readonly<Record<string, () => Promise<Setup>>> = {
  EVM: async () => {
    const chain = await startTestChain();
    return {
      url: chain.url,
      wire: {
        isEstimate: (_path, body) => body.includes('eth_estimateGas'),
        names: (body, recipient) => body.includes(recipient.slice(2)),
        answer: '{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"invalid opcode: opcode 0xfe not defined"}}',
      },
      request: { from: PAYER, to: SHOP, currency: 'USDT', amount: 5n },
      own: OTHER_PAYER,
      adapterOf: (rpcUrl) => chain.adapter({ rpcUrl }),
      stop: chain.stop,
    };
  },
  TRON: async () => {
    const setup = await createTronSetup();
    const [from, to, own] = [0, 1, 2].map((index) => setup.address(index)) as [string, string, string];
    for (const [currency, amount] of [['TRX', 1_000n * TRX] as const, ['USDT', 50n * TRX] as const])
      setup.fund(from, currency, amount);
    return {
      url: setup.double.url,
      wire: {
        isEstimate: (path) => path.endsWith('triggerconstantcontract'),
        names: (body, recipient) => body.includes(bytesOfAddress(recipient).subarray(1).toString('hex')),
        answer: '{"result":{"result":false,"code":"OTHER_ERROR","message":"the moon is full"}}',
      },
      request: { from, to, currency: 'USDT', amount: 5n },
      own,
      adapterOf: (url) => setup.adapterOf({ url }),
      stop: setup.stop,
    };
  },
  SOL: async () => {
    const setup = await createSolanaSetup();
    const [from, to, own] = [
      setup.wallet({ SOL, USDC: 1_000n }).address,
      setup.wallet().address,
      setup.wallet({ SOL }).address,
    ];
    return {
      url: setup.node.url,
      wire: {
        isEstimate: (_path, body) => body.includes('simulateTransaction'),
        names: (body, recipient) => {
          const raw = (JSON.parse(body) as { params: [string] }).params[0];
          return Buffer.from(raw, 'base64').includes(Buffer.from(decodeBase58(recipient) ?? []));
        },
        answer: '{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"the moon is full"}}',
      },
      request: { from, to, currency: 'USDC', amount: 5n, payer: own },
      own,
      adapterOf: (url) => setup.adapterOf({ url }),
      stop: setup.stop,
    };
  },
};

describe.each(Object.entries(WORLDS))('on %s, an estimate that fails in no way that we know', (_kind, open) => {
  let setup: Setup;
  let node: MeddlingProxy;
  let control: TransactionRequest;
  /** The recipients for which the node estimates no transfer. */
  let barred: readonly string[] = [];
  /** Whether it estimates no token transfer at all. */
  let isAllBarred = false;

  beforeAll(async () => {
    setup = await open();
    node = await startMeddlingProxy(setup.url);
    node.meddle(({ path, body }) => {
      if (!setup.wire.isEstimate(path, body)) return PASS;
      const isBarred = isAllBarred || barred.some((one) => setup.wire.names(body, one));
      return isBarred ? { kind: 'say', status: 200, body: setup.wire.answer } : PASS;
    });
    control = { ...setup.request, to: setup.own };
  });
  afterEach(() => {
    barred = [];
    isAllBarred = false;
  });
  afterAll(async () => {
    await node.stop();
    await setup.stop();
  });

  const pooled = () => {
    const pool = createNodePool({ adapters: [setup.adapterOf(node.url)], now: () => 0 }) as AccountAdapter;
    return { quote: pool.quote, statesOf: () => pool.nodes?.().map(({ state }) => state) };
  };

  it('is REVERTED at the newest block of the node, when it estimates the same transfer to ourselves', async () => {
    barred = [setup.request.to];
    const { height } = await setup.adapterOf(setup.url).tip();
    const { quote, statesOf } = pooled();
    const refusal = await quote(setup.request, control).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ name: 'TransactionRefused', reason: 'REVERTED' });
    expect((refusal as { at: { height: number } }).at.height).toBeGreaterThanOrEqual(height);
    expect(statesOf()).toEqual(['up']);
  });

  it("is the node's fault when it estimates no transfer at all, and it rests then", async () => {
    barred = [setup.request.to, setup.own];
    isAllBarred = true;
    const { quote, statesOf } = pooled();
    // TRON does not run a coin transfer to estimate it: here the token is at fault, not the node.
    const refusal: unknown = await quote(setup.request, control).catch((error: unknown) => error);
    if (_kind === 'TRON') {
      expect(refusal).toMatchObject({ name: 'TransactionRefused', reason: 'SENDER' });
      expect(statesOf()).toEqual(['up']);
    } else {
      expect(refusal).toBeInstanceOf(ChainUnavailable);
      expect(statesOf()).toEqual(['resting']);
    }
  });

  it('stays unknown where there is nothing to compare it with', async () => {
    barred = [setup.request.to];
    await expect(setup.adapterOf(node.url).quote(setup.request)).rejects.toBeInstanceOf(ChainUnavailable);
  });
});
