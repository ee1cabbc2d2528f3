// What the page of a payment says once there is nothing to pay: the receipt, and the one thing to do.
import { describe, expect, it } from '@jest/globals';
import type { Checkout } from '../../../web/pay/checkout.ts';
import { contactLinkOf } from '../../../web/pay/links.ts';
import { pageOf, PENDING, wordsOf } from './checkout.fixture.ts';

const HASH = `0x${'6353a1b2'.repeat(8)}`;
const transaction = {
  txHash: HASH,
  amount: '25.000001',
  status: 'CONFIRMED',
  seenAt: '2026-03-01T12:03:00.000Z',
} as const;
const onExplorer = { ...transaction, explorerUrl: `https://etherscan.io/tx/${HASH}` };
const paid = { status: 'SUCCEEDED', amountReceived: '25.000001', amountDue: '0' } as const;
const done = { ...paid, completedAt: '2026-03-01T12:05:00.000Z', transactions: [onExplorer] };

describe('the receipt', () => {
  it('says what for, how much, where, when, and by which transaction', () => {
    const words = wordsOf(pageOf(done)).replaceAll('\u00a0', ' ');
    expect(words).toMatch(
      /For Two tins of Assam Order BK-10045 Paid 25\.000001 USDT Network Ethereum \(ETH\) Date 1 Mar 2026, 12:05 UTC Transaction 0x6353a1…53a1b2/,
    );
    expect(pageOf(done)).toContain(`href="https://etherscan.io/tx/${HASH}" rel="noopener noreferrer"`);
  });

  it('is there only once nothing can be paid and money has come', () => {
    const has = (changes: Partial<Checkout>) => pageOf(changes).includes('class="receipt"');
    expect(has(done)).toBe(true);
    expect(has({ status: 'FAILED', exception: 'UNDERPAID', amountReceived: '10' })).toBe(true);
    for (const changes of [{}, { status: 'EXPIRED' }, { ...paid, status: 'CONFIRMING' }] as const)
      expect(has(changes)).toBe(false);
    expect(has({ status: 'PARTIALLY_PAID', amountReceived: '10', amountDue: '15.000001' })).toBe(false);
  });

  it('says what came beyond the amount, to the last digit', () => {
    const over = { ...done, exception: 'OVERPAID', amountReceived: '30.000000000000000002' } as const;
    expect(wordsOf(pageOf(over)).replaceAll('\u00a0', ' ')).toContain('Too much 4.999999000000000002 USDT');
    expect(wordsOf(pageOf(done))).not.toContain('Too much');
  });

  it('leaves out what the chain has removed, and counts what does not fit', () => {
    const many = Array.from({ length: 9 }, (_, nth) => ({
      ...transaction,
      txHash: `0x${String(nth).repeat(64)}`,
      explorerUrl: null,
    }));
    const removed = { ...onExplorer, status: 'ORPHANED' } as const;
    const markup = pageOf({ ...done, transactions: [removed, ...many] });
    expect(markup).not.toContain(HASH);
    expect(markup.match(/class="whole"/g)).toHaveLength(5);
    expect(wordsOf(markup)).toContain('and 4 more');
  });

  it.each(['javascript:alert(1)', 'http://explorer.example/tx', '"><script>alert(1)</script>'])(
    'an explorer at %j is not linked',
    (explorerUrl) => {
      const markup = pageOf({ ...done, transactions: [{ ...transaction, explorerUrl }] });
      expect(markup).not.toMatch(/target="_blank"|alert\(1\)</);
    },
  );
});

describe('what to do', () => {
  const first = (changes: Partial<Checkout>) =>
    /<a[^>]*class="button"[^>]*href="([^"]*)"/.exec(pageOf({ supportEmail: 'help@shop.example', ...changes }))?.[1] ??
    null;
  const shop = 'https://shop.example/thanks?order=1&amp;x=2';
  const mail = `mailto:help@shop.example?subject=${PENDING.id}`;
  const some = { amountReceived: '10' };

  it.each<readonly [string, Partial<Checkout>, string | null]>([
    ['complete: back to the shop', done, shop],
    ['too much: back to the shop', { ...done, exception: 'OVERPAID' }, shop],
    ['too little: the merchant', { status: 'FAILED', exception: 'UNDERPAID', ...some }, mail],
    ['removed by the chain: back to the shop', { status: 'FAILED', exception: 'REORGED' }, shop],
    ['expired with nothing sent: back to the shop', { status: 'EXPIRED' }, shop],
    ['expired, and money came: the merchant', { status: 'EXPIRED', ...some }, mail],
    ['canceled: back to the shop', { status: 'CANCELED' }, shop],
    [
      'money came, and no address of the merchant: back to the shop',
      { status: 'EXPIRED', ...some, supportEmail: null },
      shop,
    ],
    ['on its way: nothing', { ...paid, status: 'CONFIRMING' }, null],
  ])('%s', (_name, changes, expected) => {
    expect(first(changes)).toBe(expected);
  });

  it('leads to no mail without an address, or with none that is one', () => {
    expect(contactLinkOf(null, 'ord_1')).toBeNull();
    for (const address of ['', 'no', 'a@b c', '<a@b>', 'a@b"']) expect(contactLinkOf(address, 'ord_1')).toBeNull();
    expect(contactLinkOf('a?bcc=evil@shop.example', 'ord_1')).toBe('mailto:a%3Fbcc%3Devil@shop.example?subject=ord_1');
  });
});

describe('what it is worth', () => {
  const said = (changes: Partial<Checkout>) => wordsOf(pageOf(changes)).replaceAll('\u00a0', ' ');

  it('is said while money may be sent, in the currency of the books', () => {
    expect(said({})).toContain('about 25.01 USD');
    expect(said({ value: '1200', valueCurrency: 'JPY' })).toContain('about 1200 JPY');
    for (const status of ['CONFIRMING', 'SUCCEEDED', 'EXPIRED'] as const)
      expect(said({ status })).not.toContain('USD ');
  });

  it('is left out without a rate, and where it would say the same', () => {
    expect(said({ value: null, valueCurrency: null })).not.toContain('about');
    expect(said({ value: '25', valueCurrency: 'USDT' })).not.toContain('about');
  });
});

describe('how long it takes', () => {
  const confirming = (changes: Partial<Checkout>) => wordsOf(pageOf({ ...paid, status: 'CONFIRMING', ...changes }));

  it.each<readonly [string, number, string]>([
    ['ETH', 11, 'about 20 sec'],
    ['ETH', 5, 'about 90 sec'],
    ['ETH', 0, 'about 3 min'],
    ['BTC', 11, 'about 10 min'],
  ])('on %s with %i of 12 confirmations: %s', (network, confirmations, said) => {
    expect(confirming({ network, confirmations })).toContain(said);
  });

  it('is not said on a development chain, nor when nothing is left', () => {
    expect(confirming({ confirmations: 5, isMainNetwork: false })).not.toContain('about');
    expect(confirming({ confirmations: 12 })).not.toContain('about');
  });
});
