// The payment page as the server renders it: what it says in each state, what it never says, and that foreign text is
// never markup.
import { describe, expect, it } from '@jest/globals';
import { encode } from 'uqr';
import { fieldsOf, OPERATIONS, WATCHED_FIELDS, type Checkout } from '../../../web/pay/checkout.ts';
import { html, type HtmlValue, render } from '../../../web/pay/html.ts';
import { chooseLanguage } from '../../../web/pay/languages.ts';
import { renderErrorPage, renderNotFoundPage } from '../../../web/pay/page.ts';
import { NOW as now, pageOf, PENDING as pending, wordsOf as words } from './checkout.fixture.ts';

const afterExpiry = new Date('2026-03-01T12:30:00.000Z');

const english = chooseLanguage({});

const page = (changes: Partial<Checkout> = {}, at: Date = now, isSandbox = false): string =>
  pageOf(changes, { now: at, isSandbox });

/** The markup with empty attribute values, so that only names are left between < and >. */
const withoutValues = (markup: string) => markup.replace(/"[^"]*"/g, '""');

const FAILED: Partial<Checkout> = { status: 'FAILED', amountReceived: '10', amountDue: '15.000001' };

const STATES: ReadonlyArray<readonly [name: string, changes: Partial<Checkout>, said: readonly string[]]> = [
  ['PENDING', {}, ['Waiting for your payment', 'Send exactly 25.000001 USDT on Ethereum (ETH)', 'Time left 29 min']],
  [
    'PARTIALLY_PAID',
    { status: 'PARTIALLY_PAID', amountReceived: '10', amountDue: '15.000001' },
    ['Part of the amount has arrived', 'Still due 15.000001 USDT', 'Received 10 USDT', 'remaining 15.000001 USDT'],
  ],
  [
    'CONFIRMING',
    { status: 'CONFIRMING', amountReceived: '25.000001', amountDue: '0', confirmations: 5 },
    ['Payment seen', 'Confirmations: 5 of 12'],
  ],
  ['SUCCEEDED', { status: 'SUCCEEDED', amountReceived: '25.000001', amountDue: '0' }, ['Payment complete', 'Paid']],
  [
    'SUCCEEDED, OVERPAID',
    { status: 'SUCCEEDED', exception: 'OVERPAID', amountReceived: '30', amountDue: '0' },
    [
      'Paid 30 USDT on',
      'You sent 30 USDT, which is more than the 25.000001 USDT that was due',
      'Amount 25.000001 USDT Received 30 USDT',
      `quote ${pending.id}`,
    ],
  ],
  [
    'SUCCEEDED, PAID_LATE',
    { status: 'SUCCEEDED', exception: 'PAID_LATE', amountReceived: '25.000001' },
    ['Payment complete', 'Paid 25.000001 USDT', 'arrived late'],
  ],
  [
    'SUCCEEDED within the tolerance',
    { status: 'SUCCEEDED', amountReceived: '24.9' },
    ['Payment complete', 'Paid 24.9 USDT', 'Amount 25.000001 USDT Received 24.9 USDT'],
  ],
  [
    'FAILED, UNDERPAID',
    { ...FAILED, exception: 'UNDERPAID' },
    ['not completed', 'we received 10 USDT of 25.000001 USDT', `contact Blue Kettle Tea and quote ${pending.id}`],
  ],
  ['FAILED, UNCONFIRMED', { ...FAILED, exception: 'UNCONFIRMED' }, ['not confirmed it in time', `quote ${pending.id}`]],
  ['FAILED, REORGED', { ...FAILED, exception: 'REORGED' }, ['removed your transfer', `quote ${pending.id}`]],
  ['EXPIRED', { status: 'EXPIRED' }, ['This payment has expired', 'do not send anything', `quote ${pending.id}`]],
  [
    'EXPIRED, money arrived late',
    { status: 'EXPIRED', amountReceived: '25.000001' },
    ['received 25.000001 USDT afterwards', 'not lost', `quote ${pending.id}`],
  ],
  ['CANCELED', { status: 'CANCELED' }, ['This payment was canceled', 'do not send anything', `quote ${pending.id}`]],
  ['PARTIALLY_REFUNDED', { status: 'PARTIALLY_REFUNDED' }, ['Partly refunded', `quote ${pending.id}`]],
  ['REFUNDED', { status: 'REFUNDED' }, ['Refunded', `quote ${pending.id}`]],
];

describe('what the page says', () => {
  it.each(STATES)('%s has its words, the network and the reference', (_name, changes, said) => {
    const text = words(page(changes));
    for (const sentence of said) expect(text).toContain(sentence);
    expect(text).toContain('on Ethereum (ETH)');
    expect(text).toContain(`Payment reference ${pending.id}`);
  });

  it.each(STATES)('%s shows the address and the code only while money may be sent', (_name, changes) => {
    const payable = changes.status === undefined || changes.status === 'PARTIALLY_PAID';
    const markup = page(changes);
    expect(markup.includes(pending.address)).toBe(payable);
    expect(markup.includes('class="qr"')).toBe(payable);
  });

  it('an amount with 18 decimals is shown to the last digit and copied without its unit', () => {
    const amount = '0.012345678901234567';
    const markup = page({ amount, amountDue: amount, currency: 'ETH' });
    expect(words(markup)).toContain(`Send exactly ${amount} ETH`);
    expect(markup).toContain(`<code id="sum">${amount}</code>`);
    // In groups, without a character between them: what is copied is the address.
    const [, address = ''] = /<code id="address" dir="ltr">(.*?)<\/code/s.exec(markup) ?? [];
    expect(address).toMatch(/^<b>0x5290<\/b\s*><span>8400<\/span/);
    expect(address.replace(/<[^>]*>/g, '')).toBe(pending.address);
  });

  it('after a part payment, the amount to copy is what is still due', () => {
    const markup = page({ status: 'PARTIALLY_PAID', amountReceived: '10', amountDue: '15.000001' });
    expect(markup).toContain('<code id="sum">15.000001</code>');
  });

  it.each([
    ['USDT', 'ETH', 'Ethereum', 'USDT exists on several networks: choose Ethereum (ERC20) in your wallet'],
    ['USDT', 'TRON', 'TRON', 'only on TRON. Anything else sent to this address may be lost'],
    ['USDT', 'TRON', 'TRON', 'choose TRON (TRC20)'],
    ['USDC', 'SOL', 'Solana', 'choose Solana (SPL)'],
    ['USDT', 'POLYGON', 'Polygon', 'choose Polygon in'],
    ['ETH', 'ARBITRUM', 'Arbitrum One', 'choose Arbitrum One (ARBITRUM)'],
  ])('%s on %s, which is on other networks too, has to be chosen by name', (currency, network, networkName, said) => {
    expect(words(page({ currency, network, networkName }))).toContain(said);
  });

  it('a coin that is on one network only leaves nothing to choose', () => {
    const text = words(page({ currency: 'BTC', network: 'BTC', networkName: 'Bitcoin' }));
    expect(text).toContain('Send only BTC, and only on Bitcoin (BTC)');
    expect(text).not.toContain('several networks');
  });

  it('once the time is up nobody is asked to pay, though the payment has not expired yet', () => {
    for (const status of ['PENDING', 'PARTIALLY_PAID'] as const) {
      const markup = page({ status }, afterExpiry);
      expect(words(markup)).toContain('The time is up');
      expect(markup).not.toContain(pending.address);
    }
  });

  it('confirmations are a progress bar that never exceeds its end', () => {
    expect(page({ status: 'CONFIRMING', confirmations: 15 })).toMatch(/<progress\s+max="12"\s+value="12"/);
  });

  it('a test payment says that it is one, a real one does not', () => {
    expect(words(page({ test: true }))).toContain('Test payment');
    expect(words(page())).not.toContain('Test payment');
  });

  it('in a sandbox every payment says so, whatever it says itself', () => {
    expect(words(page({}, now, true))).toContain('Test payment: no real money');
  });

  it('what is not there leaves no empty line behind', () => {
    const markup = page({ productName: null, merchantOrderId: null, returnUrl: null });
    expect(markup).not.toMatch(/class="(product|order|return)"/);
    expect(markup).not.toMatch(/null|undefined|\[object/);
  });

  it('status is a live region that is there in every state', () => {
    for (const [, changes] of STATES) expect(page(changes)).toMatch(/id="status" role="status" aria-live="polite"/);
  });

  it('the codes are the address and the payment URI, module by module', () => {
    const markup = page();
    const paths = [...markup.matchAll(/fill="#000" d="([^"]*)"/g)].map(([, path = '']) => path);
    expect(paths).toHaveLength(2);
    for (const [nth, text] of [pending.address, pending.paymentUri].entries()) {
      const { data, size } = encode(text, { ecc: 'M', border: 4 });
      const drawn = data.map((row) => row.map(() => false));
      for (const [, x, y, width] of (paths[nth] ?? '').matchAll(/M(\d+) (\d+)h(\d+)v1H\1z/g)) {
        drawn[Number(y)]?.fill(true, Number(x), Number(x) + Number(width));
      }
      expect(drawn).toEqual(data);
      expect(markup).toContain(`viewBox="0 0 ${size} ${size}"`);
    }
  });

  it.each([
    ['a token of an EVM chain', pending.paymentUri, 'address'],
    ['a coin of an EVM chain', `ethereum:${pending.address}@1?value=2`, 'amount'],
    ['bitcoin', 'bitcoin:bc1qxy?amount=0.1', 'amount'],
    ['Solana', 'solana:abc?amount=1', 'amount'],
  ])('for %s the code seen at first is the one that its wallets read', (_name, paymentUri, first) => {
    const [checked] = /<input[^>]*id="code-\w+"[^>]*checked/.exec(page({ paymentUri })) ?? [''];
    expect(checked).toContain(`value="${first}"`);
  });

  it.each(['', pending.address])('with the payment URI %j there is one code to choose', (paymentUri) => {
    const markup = page({ paymentUri });
    expect([markup.match(/class="qr"/g)?.length, markup.includes('name="code"')]).toEqual([1, false]);
  });
});

describe('without a script', () => {
  const refresh = /<noscript>\s*<meta http-equiv="refresh" content="(\d+)" \/>\s*<\/noscript>/;

  it.each(STATES)('%s is loaded anew only while it may change', (_name, changes) => {
    const status = changes.status ?? 'PENDING';
    const open = ['PENDING', 'PARTIALLY_PAID', 'CONFIRMING'].includes(status);
    const late = ['EXPIRED', 'FAILED', 'CANCELED'].includes(status);
    expect(refresh.exec(page(changes))?.[1]).toBe(open ? '10' : late ? '60' : undefined);
  });
});

describe('hostile text', () => {
  const attack = `</title></style><script>alert(1)</script><img src=x onerror=alert(2)>"'\` onload=alert(3) &lt;`;
  const fields = [
    'companyName',
    'productName',
    'merchantOrderId',
    'currency',
    'networkName',
    'network',
    'address',
  ] as const;

  it.each(fields)('%s is never markup', (field) => {
    for (const [, changes] of STATES) {
      const markup = page({ ...changes, [field]: attack });
      expect(markup).not.toContain('<img');
      expect(markup.match(/<script/g)).toHaveLength(1);
      expect(markup.match(/<\/style>/g)).toHaveLength(1);
      expect(withoutValues(markup)).not.toMatch(/<[^>]*\sonload=[^>]*>/);
    }
  });

  it('markup is quoted whole, quotes and ampersands included', () => {
    expect(
      render(html`<p title="${attack}">${attack}</p>`)
        .match(/[<>"'`]/g)
        ?.join(''),
    ).toBe('<""><>');
    expect(render(html`${'&lt;'}`)).toBe('&amp;lt;');
  });

  it('an object that came out of JSON cannot pass for markup', () => {
    const forged = JSON.parse('{"markup":"<b>","Symbol(markup)":"<b>"}') as HtmlValue;
    expect(render(html`${forged}`)).not.toContain('<b>');
  });

  it('characters that turn the direction of text are taken out of the merchant’s text', () => {
    expect(page({ companyName: '\u202eevil\u2066', productName: '\u202eevil' })).not.toMatch(
      /[\u202a-\u202e\u2066-\u2069]/,
    );
  });

  it.each([
    'javascript:alert(1)',
    ' JaVaScRiPt:alert(1)',
    'java\nscript:alert(1)',
    'data:text/html,<script>alert(1)</script>',
    'vbscript:x',
    'file:///etc/passwd',
    '//evil.example',
    '/relative',
    '',
  ])('returnUrl %j is not linked', (returnUrl) => {
    expect(page({ returnUrl })).not.toContain('class="return"');
  });

  it('the host of returnUrl is shown as it is, whatever precedes or resembles it', () => {
    expect(words(page({ returnUrl: 'https://paypal.com@evil.example/x' }))).toContain('Return to evil.example');
    expect(words(page({ returnUrl: 'https://раypal.com/' }))).toContain('Return to xn--');
    expect(page()).toContain('href="https://shop.example/thanks?order=1&amp;x=2" rel="noopener noreferrer"');
  });

  it.each(['javascript:alert(1)', 'https://evil.example', 'ethereum:0x1" onclick="x', ''])(
    'payment URI %j is no link to a wallet',
    (paymentUri) => {
      expect(page({ paymentUri })).not.toContain('Open in wallet');
    },
  );
});

describe('content security policy', () => {
  const pages = [
    ...STATES.map(([, changes]) => page(changes)),
    renderNotFoundPage({ nonce: 'bm9uY2U', language: english }),
    renderErrorPage({ nonce: 'bm9uY2U', language: english, requestId: 'req_1' }),
  ];

  it('no inline handler, no style attribute, every script and style with the nonce', () => {
    for (const markup of pages) {
      expect(withoutValues(markup)).not.toMatch(/<[^>]*\s(on[a-z]+|style)\s*=/i);
      for (const [tag] of markup.matchAll(/<(script|style)[^>]*>/g)) expect(tag).toContain('nonce="bm9uY2U"');
    }
  });

  it('no request to any other host', () => {
    for (const markup of pages) {
      expect(markup).not.toMatch(/\s(src|srcset|action)="(https?:)?\/\//);
      expect(markup).not.toMatch(/url\(|@import|<(img|iframe|form|base|object|embed)\b/);
    }
  });

  it('the error page names the request, and nothing else', () => {
    expect(words(renderErrorPage({ nonce: 'n', language: english, requestId: 'req_1' }))).toContain(
      'this reference: req_1',
    );
    expect(words(renderErrorPage({ nonce: 'n', language: english }))).not.toMatch(/reference|undefined/);
  });
});

describe('what the script is told', () => {
  it('the state is the watched fields in their order, as GraphQL sends them', () => {
    const markup = page({ status: 'FAILED', exception: 'UNDERPAID' });
    expect(markup).toContain(`data-watch="${WATCHED_FIELDS.join(' ')}"`);
    expect(markup).toContain('data-state="FAILED|UNDERPAID|0|25.000001|0|12|2026-03-01T12:29:30.000Z"');
    expect(markup).toContain(`data-now="${now.toISOString()}"`);
  });

  it('the selection set has every field of a checkout once', () => {
    expect([...fieldsOf(OPERATIONS.read)].sort()).toEqual(Object.keys(pending).sort());
  });
});
