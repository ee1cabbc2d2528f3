// POST /wallet/withdraw: the calls that are answered with 400.

import { describe, expect, it } from '@jest/globals';
import { ADDRESS, gateway, shop, withdraw } from '../fixtures/wallet.fixture.ts';
import { rest, type Json } from '../../support/clients.ts';
import { dataOf, expectFaults, expectRefusal } from '../../support/expectations.ts';

describe('POST /wallet/withdraw: 400', () => {
  it.each([
    [{ amount: 5 }, ['amount']],
    [{ amount: '' }, ['amount']],
    [{ amount: '0' }, ['amount']],
    [{ amount: '-1' }, ['amount']],
    [{ amount: '1e3' }, ['amount']],
    [{ amount: 'MAX' }, ['amount']],
    [{ amount: '0.1234567' }, ['amount']],
    [{ amount: '0.1234567', address: ' ' }, ['amount', 'address']],
    [{ amount: null }, ['amount']],
    [{ address: null }, ['address']],
    [{ address: ' ' }, ['address']],
    [{ address: 'x'.repeat(201) }, ['address']],
    [{ currency: 1, network: true }, ['currency', 'network']],
    [{ merchantWithdrawalId: '' }, ['merchantWithdrawalId']],
    [{ merchantWithdrawalId: 'x'.repeat(256) }, ['merchantWithdrawalId']],
    [{ merchantWithdrawalId: 7 }, ['merchantWithdrawalId']],
    [{ networkFee: '0' }, ['networkFee']],
  ])('%j is refused (2001)', async (fields, paths) => {
    expectFaults(await withdraw(fields), paths);
  });

  it('lists every field that is missing (2001)', async () => {
    expectFaults(await shop.rest('POST', '/wallet/withdraw', {}), ['currency', 'network', 'amount', 'address']);
  });

  it.each([
    [{ currency: 'DOGE' }, '3001'],
    [{ network: 'nowhere' }, '3001'],
    [{ currency: 'BTC' }, '3001'],
    [{ amount: '0.009999' }, '3002'],
    [{ amount: '1000000.000001' }, '3003'],
  ])('%j is refused (%s)', async (fields, code) => {
    expectRefusal(await withdraw(fields), 400, code);
  });

  it.each([
    '0x',
    `${ADDRESS}0`,
    ADDRESS.slice(0, -1),
    '0x52908400098527886E0F7030069857D2E4169Ee7',
    `0x${'0'.repeat(40)}`,
    '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa',
    'vitalik.eth',
  ])('the address %s cannot be sent to (4002)', async (address) => {
    expectRefusal(await withdraw({ address }), 400, '4002');
  });

  it("a token's contract is no address to send to (4002)", async () => {
    const usdt = ({ currency, network }: Json) => currency === 'USDT' && network === 'ETH';
    const { contract } = (dataOf(await rest(gateway)('GET', '/currencies')).items as Json[]).find(usdt);
    expect(contract).toMatch(/^0x/);
    for (const address of [contract, contract.toLowerCase()]) expectRefusal(await withdraw({ address }), 400, '4002');
  });
});
