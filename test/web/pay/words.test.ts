// The payment page's texts in every state of docs/payment-states.md, in each of the nine languages.

import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import type { Checkout } from '../../../web/pay/checkout.ts';
import { render } from '../../../web/pay/html.ts';
import { LANGUAGES } from '../../../web/pay/languages.ts';
import { localeOf } from '../../../web/pay/locale.ts';
import { wordingOf } from '../../../web/pay/words.ts';

const REFERENCE = 'ord_01jq2v7m8x4k9n3p5r6s7t8v9w';
const NOW = new Date('2026-03-01T12:00:00.000Z');

type Sums = Pick<Checkout, 'amountReceived' | 'amountDue'>;
const PAID = { amountReceived: '25', amountDue: '0' };
const NOTHING = { amountReceived: '0', amountDue: '25' };
const PART = { amountReceived: '10', amountDue: '15' };

function checkoutOf(state: string, sums: Sums): Checkout {
  const [, status = '', exception = null] = /^(\w+)(?: \((\w+)\))?$/.exec(state) ?? [];
  return {
    ...{ id: REFERENCE, status: status as Checkout['status'], exception: exception as Checkout['exception'] },
    ...{ amount: '25', currency: 'USDT', network: 'TRON', networkName: 'TRON', address: 'T1', paymentUri: 'T1' },
    ...{ confirmations: 0, requiredConfirmations: 20, companyName: 'Blue Kettle Tea', returnUrl: null, test: false },
    ...{ logoUrl: null, accentColor: null, locale: null, productName: null, merchantOrderId: null },
    ...{ createdAt: '2026-03-01T11:59:30.000Z', expiresAt: '2026-03-01T12:29:30.000Z', completedAt: null },
    ...{ isMainNetwork: true, tokenContract: null, transactions: [], supportEmail: null },
    ...{ value: null, valueCurrency: null },
    ...sums,
  };
}

/** All states in the document's tables, together with their exceptions. */
const DOCUMENTED = [
  ...new Set(
    readFileSync('docs/payment-states.md', 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('|'))
      .flatMap((line) => [...line.matchAll(/`([A-Z_]+(?: \([A-Z_]+\))?)`/g)].map(([, state = '']) => state))
      .filter((state) => !/^(UNDERPAID|OVERPAID|PAID_LATE|UNCONFIRMED|REORGED|FAILED)$/.test(state)),
  ),
].sort();

/** Every state with each set of sums that it can have when a customer opens the page. */
const ROWS: readonly (readonly [state: string, sums: Sums])[] = [
  ['CANCELED', NOTHING],
  ['CANCELED', PAID],
  ['CONFIRMING', PAID],
  ['EXPIRED', NOTHING],
  ['EXPIRED', PAID],
  ['FAILED (REORGED)', NOTHING],
  ['FAILED (UNCONFIRMED)', PAID],
  ['FAILED (UNDERPAID)', PART],
  ['FAILED (UNDERPAID)', PAID],
  ['PARTIALLY_PAID', PART],
  ['PARTIALLY_REFUNDED', PAID],
  ['PARTIALLY_REFUNDED (OVERPAID)', { amountReceived: '30', amountDue: '0' }],
  ['PARTIALLY_REFUNDED (PAID_LATE)', PAID],
  ['PENDING', NOTHING],
  ['REFUNDED', PAID],
  ['REFUNDED (OVERPAID)', { amountReceived: '30', amountDue: '0' }],
  ['REFUNDED (PAID_LATE)', PAID],
  ['SUCCEEDED', PAID],
  ['SUCCEEDED (OVERPAID)', { amountReceived: '30', amountDue: '0' }],
  ['SUCCEEDED (PAID_LATE)', PAID],
];

/** States in which all is well, or the page itself says how to go on, need no advice to ask the merchant. */
const NEEDS_NOBODY = new Set(['PENDING', 'PARTIALLY_PAID', 'CONFIRMING', 'SUCCEEDED', 'SUCCEEDED (PAID_LATE)']);

describe('the words for a state', () => {
  it('are looked at for every state of the document, and no other', () => {
    expect([...new Set(ROWS.map(([state]) => state))]).toEqual(DOCUMENTED);
  });

  describe.each(LANGUAGES.map((language) => [language.code, language] as const))('%s', (_code, language) => {
    const locale = localeOf(language);
    const read = (state: string, sums: Sums) => {
      const { heading, text, steps } = wordingOf(checkoutOf(state, sums), NOW, locale);
      return { heading: language.messages[heading], text: text.map(render).join(' '), steps: steps.map(render) };
    };

    it.each(ROWS)('%s %j says what is going on, in full', (state, sums) => {
      const { heading, text, steps } = read(state, sums);
      for (const sentence of [heading, text, ...steps]) {
        expect(sentence.trim()).not.toBe('');
        expect(sentence).not.toMatch(/[{}]|undefined|null|NaN/);
      }
    });

    it.each(ROWS.filter(([state]) => !NEEDS_NOBODY.has(state)))(
      '%s %j says what to do, whom to ask and by which reference',
      (state, sums) => {
        const steps = read(state, sums).steps.join('\n');
        expect(steps).toContain(`<code dir="ltr">${REFERENCE}</code>`);
        expect(steps).toContain('Blue Kettle Tea');
      },
    );

    it('tell apart what is not the same', () => {
      const told = (states: readonly (readonly [string, Sums])[]) =>
        states.map(([state, sums]) => JSON.stringify(read(state, sums)));
      // Once it is refunded, how it was paid no longer matters; all other states have different texts.
      const stories = told(ROWS.filter(([state]) => !/REFUNDED \(/.test(state)));
      expect(new Set(stories).size).toBe(stories.length);
    });

    it('that money came only in part names what came and what is missing', () => {
      expect(read('PARTIALLY_PAID', PART).text).toContain(locale.money('10', 'USDT'));
      expect(read('PARTIALLY_PAID', PART).text).toContain(locale.money('15', 'USDT'));
      expect(read('FAILED (UNDERPAID)', PART).text).toContain(locale.money('10', 'USDT'));
    });
  });
});
