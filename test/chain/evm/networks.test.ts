// Every EVM network with its real properties: chain id, coin, decimals of its tokens, fee model. Each on its own anvil.

import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Hex } from 'viem';
import { parseTransaction } from 'viem/utils';
import type { AccountAdapter } from '../../../src/chain/adapter.ts';
import { ChainUnavailable } from '../../../src/chain/errors.ts';
import { maxCostOf } from '../../../src/chain/transactions.ts';
import { createEvmAdapter } from '../../../src/chain/evm/adapter.ts';
import { EVM_NETWORKS } from '../../../src/chain/evm/networks.ts';
import { createRpc, type Rpc } from '../../../src/chain/evm/rpc.ts';
import { createSeedSigner } from '../../../src/custody/keys/signer.ts';
import { startAnvil, type Anvil } from '../../../src/sandbox/evm/anvil.ts';
import { NETWORK_CODES, NETWORKS, type Network } from '../../../src/values/assets.ts';
import { NODE_TIMEOUT_MS } from '../../support/node-timeout.ts';
import { compileContracts, tokenCreation } from './contracts.fixture.ts';
import { log, nextBlock, PAYER, SHOP, startOddNode } from './node.fixture.ts';

/** From chainlist.org and the tokens' contracts on each chain, written independently of the product's tables. */
const ROWS = [
  { network: 'ETH', chainId: 1, coin: 'ETH', decimals: 6, type: 'eip1559', chargesForData: false },
  { network: 'BSC', chainId: 56, coin: 'BNB', decimals: 18, type: 'legacy', chargesForData: false },
  { network: 'POLYGON', chainId: 137, coin: 'POL', decimals: 6, type: 'eip1559', chargesForData: false },
  { network: 'ARBITRUM', chainId: 42_161, coin: 'ETH', decimals: 6, type: 'eip1559', chargesForData: false },
  { network: 'OPTIMISM', chainId: 10, coin: 'ETH', decimals: 6, type: 'eip1559', chargesForData: true },
  { network: 'BASE', chainId: 8_453, coin: 'ETH', decimals: 6, type: 'eip1559', chargesForData: true },
  { network: 'AVALANCHE', chainId: 43_114, coin: 'AVAX', decimals: 6, type: 'eip1559', chargesForData: false },
] as const;

const ORACLE = '0x420000000000000000000000000000000000000F';
const PATH = "m/44'/60'/0'/1/0";
const ETHER = 10n ** 18n;
const contracts = compileContracts();
const signer = createSeedSigner(randomBytes(64));
const hex = (value: bigint): string => `0x${value.toString(16)}`;

it('the rows are all EVM networks there are', () => {
  const evm = NETWORK_CODES.filter((code) => NETWORKS[code].kind === 'evm');
  expect(ROWS.map(({ network }) => network)).toEqual(evm);
  expect(Object.keys(EVM_NETWORKS).sort()).toEqual([...evm].sort());
  const ids = Object.values(EVM_NETWORKS).flatMap(({ chainId, testChainId }) => [chainId, testChainId]);
  expect(new Set(ids).size).toBe(2 * evm.length);
});

describe.each(ROWS)('$network', ({ network, chainId, coin, decimals, type, chargesForData }) => {
  let anvil: Anvil;
  let rpc: Rpc;
  let adapter: AccountAdapter;
  let tokens: ReadonlyMap<string, string>;
  let from: string;

  const send = async (fields: object): Promise<string> =>
    (await rpc.call('eth_sendTransaction', [{ from: PAYER, gas: '0x1e8480', ...fields }])) as string;
  const mine = () => rpc.call('anvil_mine', ['0x1']);
  const adapterOf = (options: { network?: Network; contracts?: ReadonlyMap<string, string | null> } = {}) =>
    createEvmAdapter({
      ...{ network, rpcUrl: anvil.url, minesOnDemand: true, timeoutMs: NODE_TIMEOUT_MS, log },
      ...{ contracts: new Map<string, string | null>([[coin, null], ...tokens]), ...options },
    });
  const deploy = async (creation: Hex, places: number): Promise<string> => {
    const token = { decimals: places, holder: PAYER, supply: 10n ** 30n };
    const hash = await send({ data: tokenCreation(creation, token) });
    await mine();
    return ((await rpc.call('eth_getTransactionReceipt', [hash])) as { contractAddress: string }).contractAddress;
  };
  /** A payment of one unit of a token or of the coin, as the adapter makes it. */
  const unitOf = (currency: string): bigint => 10n ** BigInt(currency === coin ? 18 : decimals);

  beforeAll(async () => {
    anvil = await startAnvil({ log, chainId });
    rpc = createRpc({ network, url: anvil.url, timeoutMs: NODE_TIMEOUT_MS });
    tokens = new Map([
      ['USDT', await deploy(contracts.SilentToken.creation, decimals)],
      ['USDC', await deploy(contracts.PlainToken.creation, decimals)],
    ]);
    adapter = adapterOf();
    from = adapter.addressOf(await signer.publicKey(PATH)).key;
    await rpc.call('anvil_setBalance', [from, hex(10n * ETHER)]);
    if (chargesForData) await rpc.call('anvil_setCode', [ORACLE, contracts.NewOracle.runtime]);
  });
  afterAll(() => anvil.stop());

  it('is verified by its chain id and its tokens’ decimals, and no other network is', async () => {
    await expect(adapter.verify()).resolves.toBeUndefined();
    for (const other of ROWS.filter((row) => row.network !== network)) {
      const wrong = adapterOf({ network: other.network, contracts: new Map([[other.coin, null]]) });
      await expect(wrong.verify()).rejects.toThrow(`on chain ${String(chainId)}, expected ${String(other.chainId)}`);
    }
    const others = await deploy(contracts.PlainToken.creation, 24 - decimals);
    const wrong = adapterOf({ contracts: new Map([['USDT', others]]) });
    await expect(wrong.verify()).rejects.toThrow(`has ${String(24 - decimals)} decimals, USDT has ${String(decimals)}`);
  });

  it('is named by its chain id in payment URIs (EIP-681)', () => {
    const { address = '' } = adapter.parseAddress(SHOP) ?? {};
    const amount = unitOf('USDT');
    expect(adapter.paymentUri({ address, currency: coin, amount: 5n, orderId: 'ord_1' })).toBe(
      `ethereum:${address}@${String(chainId)}?value=5`,
    );
    expect(adapter.paymentUri({ address, currency: 'USDT', amount, orderId: 'ord_1' })).toBe(
      `ethereum:${adapter.contracts.get('USDT') ?? ''}@${String(chainId)}/transfer?address=${address}&uint256=1${'0'.repeat(decimals)}`,
    );
  });

  it('coin and tokens that arrive are seen in base units', async () => {
    const start = await adapter.tip();
    await send({ to: SHOP, value: hex(unitOf(coin)) });
    for (const token of tokens.values()) await send({ to: token, data: transferData(SHOP, unitOf('USDT')) });
    await mine();
    const { transfers } = await nextBlock(adapter, start);
    const seen = transfers.map(({ currency, amount, addressKey }) => [currency, amount, addressKey]);
    expect(seen).toEqual([coin, 'USDT', 'USDC'].map((currency) => [currency, unitOf(currency), SHOP]));
  });

  it.each(['coin', 'USDT', 'USDC'])('%s that was signed here is paid, for no more than was quoted', async (what) => {
    const currency = what === 'coin' ? coin : what;
    const to = `0x${randomBytes(20).toString('hex')}`;
    const amount = unitOf(currency);
    const token = tokens.get(currency);
    if (token !== undefined) await send({ to: token, data: transferData(from, amount) });
    await mine();
    const sender = adapter.model === 'ACCOUNT' ? adapter : null;
    if (!sender) throw new Error('EVM networks have accounts');

    const request = { from, to, currency, amount };
    const quote = await sender.quote(request);
    const nonce = (await sender.nonces([from])).get(from) ?? 0;
    const unsigned = sender.buildTransaction({ ...request, nonce, quote });
    const messages = unsigned.toSign.map(({ message }) => signer.sign(PATH, message));
    const { raw, txHash } = unsigned.finish(await Promise.all(messages));
    const transaction = parseTransaction(raw as Hex);
    expect(transaction).toMatchObject({ type, chainId });
    await adapter.broadcast(raw);
    await mine();

    const receipt = await adapter.receipt(txHash);
    expect(receipt).toMatchObject({ succeeded: true });
    expect(receipt?.cost).toBeLessThanOrEqual(maxCostOf(quote));
    expect((await adapter.balances([to], currency)).get(to)).toBe(amount);
    if (!chargesForData) expect(quote.surcharge).toBe(0n);
    // The substitute charges 1 gwei and a million wei a byte. An unsigned transfer has 40 to 120 bytes; half is added.
    const perByte = (Number(quote.surcharge) / 1.5 - 1e9) / 1e6;
    if (chargesForData) expect(perByte).toBeGreaterThanOrEqual((raw.length - 2) / 2 - 68);
    if (chargesForData) expect(perByte).toBeLessThan((raw.length - 2) / 2);
  });

  it.each(['XE7338O073KYGTWWZN0F2WZ0R8PX5ZPPZS', 'vitalik.eth', '0x52908400098527886e0f7030069857d2e4169ee7f'])(
    'takes no %s for an address',
    (text) => {
      expect(adapter.parseAddress(text)).toBeNull();
    },
  );
});

describe('a rollup, upgrade by upgrade', () => {
  let anvil: Anvil;
  beforeAll(async () => {
    anvil = await startAnvil({ log, chainId: 10 });
  });
  afterAll(() => anvil.stop());

  const rpcOf = (url: string) => createRpc({ network: 'OPTIMISM', url, timeoutMs: NODE_TIMEOUT_MS });
  const adapterOf = (rpcUrl: string) =>
    createEvmAdapter({
      ...{ network: 'OPTIMISM', rpcUrl, contracts: new Map([['ETH', null]]) },
      ...{ minesOnDemand: true, timeoutMs: NODE_TIMEOUT_MS },
    });
  const request = { from: PAYER, to: SHOP, currency: 'ETH', amount: 1n };
  const setOracle = (code: Hex) => rpcOf(anvil.url).call('anvil_setCode', [ORACLE, code]);

  it('is asked for the fee of the bytes; without any such contract nothing is quoted', async () => {
    const adapter = adapterOf(anvil.url);
    await expect(adapter.quote(request)).rejects.toThrow(ChainUnavailable);
    await setOracle(contracts.OldOracle.runtime);
    const { surcharge } = await adapter.quote(request);
    const bytes = (Number(surcharge) / 1.5 - 3e9) / 1e6;
    expect(bytes).toBeGreaterThan(40);
    expect(bytes).toBeLessThan(120);
  });

  it('is asked for the operator’s fee of all the gas, and half as much again is set aside of both', async () => {
    const adapter = adapterOf(anvil.url);
    await setOracle(contracts.NewOracle.runtime);
    const before = await adapter.quote(request);
    await setOracle(contracts.OperatorOracle.runtime);
    const { gas, surcharge } = await adapter.quote(request);
    const more = Number(surcharge - before.surcharge);
    expect(Math.abs(more - 1.5 * (5e12 + Number(gas) * 7e6))).toBeLessThanOrEqual(1);
  });

  it('quotes nothing while the node does not say what the operator takes', async () => {
    const tired = await startOddNode(anvil.url, ({ method, params: [call] }) => {
      const { data } = (call ?? {}) as { data?: string };
      // getOperatorFee(uint256)
      const isAsked = method === 'eth_call' && data?.startsWith('0x275aedd2') === true;
      return isAsked ? { error: { code: -32_005, message: 'too many requests' } } : undefined;
    });
    await expect(adapterOf(tired.url).quote(request)).rejects.toThrow('too many requests');
    await tired.stop();
  });

  const FEES = { l1Fee: '0x3e8', operatorFeeScalar: '0xf4240', operatorFeeConstant: '0x7' };
  it.each([
    ['before Isthmus', { l1Fee: '0x3e8' }, (gas: bigint) => 1_000n + 0n * gas],
    ['since Isthmus', FEES, (gas: bigint) => 1_000n + gas + 7n],
    ['since Jovian', { ...FEES, daFootprintGasScalar: '0x190' }, (gas: bigint) => 1_000n + gas * 100_000_000n + 7n],
  ])('a receipt’s cost is all that was paid: %s', async (_when, fields, beside) => {
    const rpc = rpcOf(anvil.url);
    const txHash = (await rpc.call('eth_sendTransaction', [{ from: PAYER, to: SHOP, value: '0x1' }])) as string;
    await rpc.call('anvil_mine', ['0x1']);
    const plain = (await rpc.call('eth_getTransactionReceipt', [txHash])) as { gasUsed: Hex; effectiveGasPrice: Hex };
    const rollup = await startOddNode(anvil.url, ({ method }) =>
      method === 'eth_getTransactionReceipt' ? { result: { ...plain, ...fields } } : undefined,
    );
    const receipt = await adapterOf(rollup.url).receipt(txHash);
    const gas = BigInt(plain.gasUsed);
    expect(receipt?.cost).toBe(gas * BigInt(plain.effectiveGasPrice) + beside(gas));
    await rollup.stop();
  });
});

/** transfer(address,uint256) of ERC-20. */
function transferData(to: string, amount: bigint): string {
  return `0xa9059cbb${to.slice(2).padStart(64, '0')}${amount.toString(16).padStart(64, '0')}`;
}
