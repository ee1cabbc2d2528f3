// What wallets are asked for: links that fill in exactly what is due, and requests to wallets in the browser. Neither
// may lead real money to a test payment, or a token to its contract.
import { describe, expect, it } from '@jest/globals';
import { decodeFunctionData, erc20Abi } from 'viem';
import type { Payable } from '../../../../web/pay/checkout.ts';
import { transferRequestOf } from '../../../../web/pay/wallets/transfer-request.ts';
import { walletLinksOf } from '../../../../web/pay/wallets/wallet-links.ts';
import { pageOf, PENDING } from '../checkout.fixture.ts';

const TO = PENDING.address;
const USDT = PENDING.tokenContract ?? '';
const payable = (changes: Partial<Payable> = {}): Payable => ({ ...PENDING, ...changes });
const ether = { currency: 'ETH', tokenContract: null, amountDue: '0.5', paymentUri: `ethereum:${TO}@1?value=5` };
const TRON_USDT = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';
const TRON_TO = 'TQn9Y2khEsLJW1ChVWFMSMeRDow5KcbLSE';
const tron = { network: 'TRON', networkName: 'TRON', address: TRON_TO, paymentUri: TRON_TO, tokenContract: TRON_USDT };

describe('links to wallets', () => {
  it('of a token on Ethereum name the contract as the token and the address as the recipient', () => {
    const transfer = `${USDT}@1/transfer?address=${TO}&uint256=25000001`;
    const links = walletLinksOf(payable({ paymentUri: `ethereum:${transfer}` }));
    expect(links).toEqual([
      { name: 'MetaMask', href: `https://link.metamask.io/send/${transfer}` },
      {
        name: 'Trust Wallet',
        href: `https://link.trustwallet.com/send?asset=c60_t${USDT}&address=${TO}&amount=25.000001`,
      },
    ]);
  });

  it.each([
    ['ETH', 'ETH', 'c60'],
    ['BNB', 'BSC', 'c20000714'],
    ['POL', 'POLYGON', 'c966'],
    ['ETH', 'ARBITRUM', 'c10042221'],
    ['ETH', 'OPTIMISM', 'c10000070'],
    ['ETH', 'BASE', 'c8453'],
    ['AVAX', 'AVALANCHE', 'c10009000'],
    ['BTC', 'BTC', 'c0'],
    ['LTC', 'LTC', 'c2'],
    ['TRX', 'TRON', 'c195'],
    ['SOL', 'SOL', 'c501'],
  ])('of %s on %s name the coin as %s', (currency, network, asset) => {
    const links = walletLinksOf(payable({ ...ether, currency, network, paymentUri: 'x:y' }));
    expect(links.map(({ href }) => new URL(href).searchParams.get('asset'))).toEqual([asset]);
  });

  it('there are none where coins are no real money', () => {
    for (const changes of [{}, ether, tron])
      expect(walletLinksOf(payable({ ...changes, isMainNetwork: false }))).toEqual([]);
    expect(pageOf({ isMainNetwork: false })).not.toMatch(/link\.(metamask|trustwallet)/);
  });

  it('a token whose contract is not known is not taken for the coin', () => {
    expect(walletLinksOf(payable({ tokenContract: null }))).toEqual([]);
    expect(walletLinksOf(payable({ ...tron, tokenContract: null }))).toEqual([]);
  });

  it('a hostile URI or address stays inside its link', () => {
    const paymentUri = 'ethereum:0x1@1?value=1"><script>';
    const [trust, ...others] = walletLinksOf(payable({ paymentUri, address: 'a&asset=c0#"' }));
    expect(others).toEqual([]);
    expect(new URL(trust?.href ?? '').searchParams.getAll('asset')).toEqual([`c60_t${USDT}`]);
  });
});

describe('requests to wallets in the browser', () => {
  it('of a token are a call of its contract that transfers what is due to the address', () => {
    const paymentUri = `ethereum:${USDT}@1/transfer?address=${TO}&uint256=25000001`;
    const request = transferRequestOf(payable({ paymentUri }));
    expect(request).toMatchObject({ kind: 'evm', chainId: '0x1', to: USDT, value: '0x0' });
    const data = (request as { data: `0x${string}` }).data;
    // Decoded by a library that did not write it.
    const { functionName, args } = decodeFunctionData({ abi: erc20Abi, data });
    expect([functionName, args]).toEqual(['transfer', [TO, 25_000_001n]]);
  });

  it('of a coin are its value in hexadecimal, to the last digit', () => {
    const paymentUri = `ethereum:${TO}@42161?value=12345678901234567890`;
    const request = transferRequestOf(payable({ ...ether, network: 'ARBITRUM', paymentUri }));
    expect(request).toEqual({ kind: 'evm', chainId: '0xa4b1', to: TO, value: '0xab54a98ceb1f0ad2', data: '0x' });
  });

  it('on TRON name the chain by its first block, and the token by its contract', () => {
    const genesis = '00000000000000001ebf88508a03865c71d452e25f4d51194196a1d22b6653dc';
    const base = { kind: 'tron', genesis, to: TRON_TO };
    expect(transferRequestOf(payable(tron))).toEqual({ ...base, amount: '25000001', contract: TRON_USDT });
    const trx = { ...tron, currency: 'TRX', tokenContract: null, amountDue: '3.5' };
    expect(transferRequestOf(payable(trx))).toEqual({ ...base, amount: '3500000', contract: null });
    expect(transferRequestOf(payable({ ...tron, tokenContract: null }))).toBeNull();
    expect(transferRequestOf(payable({ ...tron, isMainNetwork: false }))).toBeNull();
  });

  it.each([
    '',
    TO,
    `ethereum:${TO}`,
    `ethereum:${TO}@1?value=1&gas=2`,
    `ethereum:${USDT}@1/approve?address=${TO}&uint256=1`,
  ])('the URI %j is no request', (paymentUri) => {
    expect(transferRequestOf(payable({ paymentUri }))).toBeNull();
  });

  it('there are none for bitcoin, and none once nothing may be sent', () => {
    expect(transferRequestOf(payable({ currency: 'BTC', network: 'BTC', tokenContract: null }))).toBeNull();
    for (const status of ['CONFIRMING', 'SUCCEEDED', 'EXPIRED', 'CANCELED'] as const)
      expect(pageOf({ status })).not.toMatch(/data-request|data-opens/);
  });
});
