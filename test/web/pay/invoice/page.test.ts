// An invoice's page as the server renders it: every step in every language, what it hides, and what its forms send.

import { describe, expect, it } from '@jest/globals';
import { stateOf } from '../../../../web/pay/checkout.ts';
import { render } from '../../../../web/pay/html.ts';
import { INVOICE_OPERATIONS, type InvoiceCheckout } from '../../../../web/pay/invoice/checkout.ts';
import { renderInvoicePage, renderRefusalPage, REFUSALS } from '../../../../web/pay/invoice/page.ts';
import { invoiceWording } from '../../../../web/pay/invoice/words.ts';
import { readWish, stageOf } from '../../../../web/pay/invoice/stage.ts';
import { chooseLanguage, LANGUAGES, type Language } from '../../../../web/pay/languages.ts';
import { localeOf } from '../../../../web/pay/locale.ts';
import { AFTER_QUOTE, inBitcoin, inTether, NOW, OPEN, OPTIONS, PART, VIEWS } from './views.fixture.ts';

const english = chooseLanguage({});

interface Look {
  readonly wish?: object;
  readonly at?: Date;
  readonly language?: Language;
}

function page(invoice: InvoiceCheckout, { wish = {}, at = NOW, language = english }: Look = {}): string {
  return renderInvoicePage({
    ...{
      invoice,
      wish,
      now: at,
      language,
      nonce: 'bm9uY2U',
      graphqlPath: '/graphql',
      logoPath: null,
      isSandbox: false,
    },
    ...{ scriptPath: '/pay/assets/client.js', keepsLanguage: language !== english },
  });
}

/** What a reader of the page sees, on one line. */
function words(markup: string): string {
  const body = markup.slice(markup.indexOf('<body>')).replace(/<[^>]*>/g, '');
  return body.replace(/&#39;/g, "'").replace(/\s+/g, ' ');
}

const view = (name: string): string => {
  const found = VIEWS.find(([each]) => each === name);
  if (!found) throw new Error(`No view "${name}"`);
  const [, invoice, wish, at] = found;
  return page(invoice, { wish, at });
};

const SAID: readonly (readonly [name: string, said: readonly string[]])[] = [
  ['coins', ['Choose a coin', 'Amount 49.90 EUR', 'Time left 59 min', 'BTC Bitcoin about 0.00090728 BTC']],
  ['coins', ['USDT Tether on several networks about 53.91896 USDT', 'There is no rate', 'not available']],
  ['networks', ['Choose the network', 'sends USDT', 'Polygon lowest fee', 'TRON (TRC20) medium fee', '49.90 EUR']],
  ['no coin', ['No coin can be chosen just now', 'no coin for 49.90 EUR', 'contact Blue Kettle Tea']],
  [
    'pay',
    ['Send exactly 0.00090728 BTC on Bitcoin (BTC) for 49.90 EUR 1 BTC = 55,000 EUR', 'The rate holds for 14 min'],
  ],
  [
    'new rate',
    ['The rate holds no longer', 'new rate for 49.90 EUR', 'Already sent? It still counts, at today’s rate'],
  ],
  [
    'part',
    ['Still due 33.91896 USDT', 'for 31.40 EUR', 'seen 18.50 EUR', 'exactly 33.91896 USDT', 'TRON (TRC20) 20 USDT'],
  ],
  ['part, new rate', ['Still due 31.40 EUR', 'seen 18.50 EUR', 'remaining 31.40 EUR', 'Already sent?']],
  ['part, another coin', ['Choose a coin', 'remaining 31.40 EUR', 'Back to paying with USDT']],
  ['part, and a quote for the whole price', ['The rate holds no longer', 'remaining 31.40 EUR']],
  ['part, in another coin', ['Send exactly 0.00057075 BTC', 'for 31.40 EUR', 'TRON (TRC20) 20 USDT']],
  ['lapsed', ['The time is up', 'do not send anything now']],
  ['processing', ['Payment seen', '49.90 EUR is on its way', 'Confirmations: 0 of 2', 'Bitcoin (BTC) 0.00090728 BTC']],
  ['settled', ['Payment complete', 'Paid 49.90 EUR', 'Received 49.90 EUR', 'Return to shop.example']],
  ['settled, over', ['You sent 55.00 EUR, which is more than the 49.90 EUR that was due', `quote ${OPEN.id}`]],
  ['settled, late', ['arrived late']],
  ['expired', ['This payment has expired', 'start again', `quote ${OPEN.id}`]],
  ['expired, chosen', ['do not send anything to this address any more']],
  ['expired, money afterwards', ['received 49.90 EUR afterwards', 'not lost']],
  ['canceled', ['This payment was canceled', 'start again']],
  ['underpaid', ['received 18.50 EUR of 49.90 EUR', 'contact Blue Kettle Tea']],
  ['unconfirmed', ['Bitcoin has not confirmed it in time']],
  ['reorged', ['Bitcoin has removed your transfer']],
];

describe('what the page of an invoice says', () => {
  it.each(SAID)('%s: %j', (name, said) => {
    const text = words(view(name));
    for (const sentence of said) expect(text).toContain(sentence);
  });

  it.each(VIEWS)('%s: the address and the code are there only while money may be sent', (name) => {
    const payable = ['pay', 'part', 'part, in another coin'].includes(name);
    const markup = view(name);
    expect([/id="address"/.test(markup), markup.includes('class="qr"')]).toEqual([payable, payable]);
    for (const each of [inBitcoin(), inTether()]) if (!payable) expect(markup).not.toContain(each.checkout.address);
  });

  it.each(VIEWS)('%s: the price is in sight, and nothing is left empty', (name) => {
    const markup = view(name);
    expect(words(markup)).toMatch(/(49\.90|31\.40) EUR/);
    expect(words(markup)).toContain(`Payment reference ${OPEN.id}`);
    expect(markup).not.toMatch(/null|undefined|\[object|NaN|\{\w+\}/);
    expect(markup).toMatch(/id="status" role="status" aria-live="polite"/);
  });

  describe.each(LANGUAGES.map((language) => [language.code, language] as const))('%s', (_code, language) => {
    const locale = localeOf(language);
    const read = ([, invoice, wish, at]: (typeof VIEWS)[number]) => {
      const { heading, text, steps } = invoiceWording(invoice, stageOf(invoice, wish, at), locale);
      return { heading: language.messages[heading], text: text.map(render).join(' '), steps: steps.map(render) };
    };

    it.each(VIEWS)('%s: every sentence is full', (...row) => {
      const { heading, text, steps } = read(row);
      for (const sentence of [heading, text, ...steps]) {
        expect(sentence.trim()).not.toBe('');
        expect(sentence).not.toMatch(/[{}]|undefined|null|NaN|<bdi[^>]*><\/bdi>/);
      }
      const [, invoice, wish, at] = row;
      expect(page(invoice, { wish, at, language })).not.toMatch(/\{\w+\}|undefined|\[object/);
    });

    it('customers who are sent to the merchant are told what to quote there', () => {
      for (const row of VIEWS) {
        const told = read(row).steps.join('\n');
        if (told.includes('Blue Kettle Tea')) expect(told).toContain(`<code dir="ltr">${OPEN.id}</code>`);
      }
    });
  });
});

describe('choosing', () => {
  it('a coin on one network is a form, one on several a link, one that cannot be chosen neither', () => {
    const markup = view('coins');
    expect(markup).toMatch(/<input type="hidden" name="currency" value="BTC" \/>/);
    expect(markup).toMatch(/<a id="coin-USDT" href="\?coin=USDT"/);
    expect(markup).not.toMatch(/id="coin-(LTC|SOL)"/);
    expect(markup.match(/<form/g)).toHaveLength(1);
  });

  it('forms are sent to the invoice by POST, and keep the language of the address', () => {
    const action = `action="/pay/${OPEN.id}/choose`;
    expect(view('coins')).toContain(`<form method="post" ${action}?"`);
    const german = page(OPEN, { language: chooseLanguage({ chosen: 'de' }) });
    expect(german).toContain(`${action}?lang=de"`);
    expect(german).toContain('href="?lang=de&amp;coin=USDT"');
  });

  it('the menu of languages keeps the step', () => {
    expect(view('networks')).toContain('href="?lang=ja&amp;coin=USDT"');
  });

  it('networks are in the order of their fees, and say so where these differ', () => {
    const text = words(view('networks'));
    expect(text).toMatch(/Polygon lowest fee .*TRON \(TRC20\) medium fee .*Ethereum \(ERC20\) high fee/);
    // A coin whose only network is chosen with it names it, where wallets offer several.
    const alone = { ...OPEN, options: OPTIONS.filter(({ network }) => network === 'TRON') };
    expect(words(page(alone))).toContain('USDT Tether TRON (TRC20) about 53.91896 USDT');
    const alike = { ...OPEN, options: OPTIONS.filter(({ network }) => network === 'TRON') };
    expect(words(page(alike, { wish: { coin: 'USDT' } }))).not.toMatch(/fee/);
  });

  it('one coin that is all there is leads to no other', () => {
    const [bitcoin] = OPTIONS;
    const alone = { ...OPEN, options: bitcoin ? [bitcoin] : [], payments: [inBitcoin()] };
    expect(words(page(alone))).not.toContain('Pay with another coin');
    expect(words(view('pay'))).toContain('Pay with another coin');
  });

  it('a coin whose rate is over and cannot be had again says why', () => {
    const noRate = OPTIONS.map((option) => ({ ...option, state: 'NO_RATE' as const, approximateAmount: null }));
    const markup = page({ ...OPEN, options: noRate, payments: [inBitcoin()] }, { at: AFTER_QUOTE });
    expect(words(markup)).toContain('There is no rate for this coin at the moment.');
    expect(words(markup)).toContain('Already sent?');
    expect(words(markup)).not.toContain('Take a new rate');
    expect(markup).not.toContain('<form');
  });
});

describe('the step', () => {
  const stage = (wish: object, invoice: InvoiceCheckout = PART) => stageOf(invoice, wish, NOW).step;

  it.each([
    [{}, 'pay'],
    [{ coin: '' }, 'coin'],
    [{ coin: 'USDT' }, 'network'],
    [{ coin: 'USDT', network: 'TRON' }, 'pay'],
    [{ coin: 'USDT', network: 'ETH' }, 'network'],
    [{ coin: 'DOGE' }, 'pay'],
  ])('%j is %s', (wish, step) => {
    expect(stage(wish)).toBe(step);
  });

  it('the coin in the address is shown, though another was chosen after it', () => {
    const invoice = { ...OPEN, payments: [inBitcoin({}, false), inTether()] };
    expect(words(page(invoice, { wish: { coin: 'BTC', network: 'BTC' } }))).toContain('Send exactly 0.00090728 BTC');
    expect(words(page(invoice))).toContain('Send exactly 53.91896 USDT');
  });

  it('a payment in the address that got its coins, which are worth too little by now, leads to all coins', () => {
    const got = inTether({ status: 'SUCCEEDED', amountReceived: '53.91896', amountDue: '0' }, false);
    const wish = { coin: 'USDT', network: 'TRON' };
    expect(stage(wish, { ...PART, payments: [got] })).toBe('coin');
    expect(stage(wish, { ...PART, payments: [got, inBitcoin({ amountDue: '0.00057075' })] })).toBe('pay');
  });

  it('a rest that is rounded differs from what is due by no more than it may', () => {
    const rest = { ...PART, payments: [inTether({ amountReceived: '20', amountDue: '33.91896' })] };
    expect(stage({}, rest)).toBe('pay');
    expect(stage({}, { ...rest, amountDue: '31.3' })).toBe('renew');
    expect(stage({}, { ...rest, amountDue: '31.5' })).toBe('renew');
  });

  it('wishes are read in any case, and nothing but codes', () => {
    expect(readWish({ coin: 'usdt', network: 'tron' })).toEqual({ coin: 'USDT', network: 'TRON' });
    expect(readWish({ coin: '"><script>', network: 'TRON' })).toEqual({});
    expect(readWish({ coin: ['BTC'], network: 'BTC' })).toEqual({});
    expect(readWish({ coin: 'BTC', network: '' })).toEqual({ coin: 'BTC' });
  });
});

describe('what may never be on the page', () => {
  const attack = `</title></style><script>alert(1)</script><img src=x onerror=alert(2)>"'\` onload=alert(3) &lt;`;

  it('text of the merchant is never markup, in any state', () => {
    const texts = { companyName: attack, description: attack, merchantInvoiceId: attack };
    for (const [, invoice, wish, at] of VIEWS) {
      const markup = page({ ...invoice, ...texts }, { wish, at });
      expect(markup).not.toContain('<img');
      expect(markup.match(/<script/g)).toHaveLength(1);
      expect(markup.match(/<\/style>/g)).toHaveLength(1);
    }
  });

  it('no inline handler or style, and no form but to ourselves', () => {
    for (const [name] of VIEWS) {
      const markup = view(name);
      expect(markup.replace(/"[^"]*"/g, '""')).not.toMatch(/<[^>]*\s(on[a-z]+|style)\s*=/i);
      for (const [, action] of markup.matchAll(/<form[^>]*action="([^"]*)"/g)) expect(action).toMatch(/^\/pay\/inv_/);
    }
  });

  it('the page asks for nothing that concerns only the merchant', () => {
    const asked = JSON.stringify([INVOICE_OPERATIONS.read, INVOICE_OPERATIONS.ask, INVOICE_OPERATIONS.watch]);
    expect(asked).not.toMatch(/"(customerEmail|customer|metadata|callbackUrl|marketRate|spread|sources)"/);
  });
});

describe('what the script is told', () => {
  it('the state has the options and the payments, in the order in which they are asked for', () => {
    const state = stateOf(INVOICE_OPERATIONS.ask, { ...PART, options: OPTIONS.slice(0, 1) });
    expect(state).toBe(
      'PARTIALLY_PAID||18.5|31.4|2026-03-01T12:59:30.000Z|BTC|BTC|OPEN|' +
        '2026-03-01T12:14:30.000Z|true|ord_01jq2v7m8x4k9n3p5r6s7t8v9x|PARTIALLY_PAID|20|33.91896|0|20',
    );
    expect(page(PART)).toContain(`data-state="${stateOf(INVOICE_OPERATIONS.ask, PART)}"`);
  });

  it('without a script it is loaded anew often while money is awaited, and not at all once it is settled', () => {
    const seconds = (name: string) => /http-equiv="refresh" content="(\d+)"/.exec(view(name))?.[1];
    expect(['pay', 'processing', 'coins', 'expired', 'settled'].map(seconds)).toEqual([
      '10',
      '10',
      '60',
      '60',
      undefined,
    ]);
  });
});

describe('a choice that was refused', () => {
  it.each([...new Set(Object.values(REFUSALS))])('%s is said in every language, with the way back', (reason) => {
    for (const language of LANGUAGES) {
      const markup = renderRefusalPage({ nonce: 'n', language, invoiceId: OPEN.id, reason, keepsLanguage: true });
      expect(markup).toContain(language.messages[reason]);
      expect(markup).toContain(`href="/pay/${OPEN.id}?lang=${language.code}&amp;coin="`);
    }
  });
});
