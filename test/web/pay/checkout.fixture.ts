// A payment as its page gets it: 25.000001 USDT on Ethereum, waited for.

import type { Checkout } from '../../../web/pay/checkout.ts';
import { chooseLanguage } from '../../../web/pay/languages.ts';
import { renderPaymentPage } from '../../../web/pay/page.ts';

export const NOW = new Date('2026-03-01T12:00:00.000Z');

export const PENDING: Checkout = {
  id: 'ord_01jq2v7m8x4k9n3p5r6s7t8v9w',
  status: 'PENDING',
  exception: null,
  amount: '25.000001',
  currency: 'USDT',
  network: 'ETH',
  networkName: 'Ethereum',
  isMainNetwork: true,
  tokenContract: '0xdAC17F958D2ee523a2206206994597C13D831ec7',
  address: '0x52908400098527886E0F7030069857D2E4169EE7',
  paymentUri: 'ethereum:0xdAC17F958D2ee523a2206206994597C13D831ec7@1/transfer?address=0x5290&uint256=25000001',
  amountReceived: '0',
  amountDue: '25.000001',
  value: '25.01',
  valueCurrency: 'USD',
  confirmations: 0,
  requiredConfirmations: 12,
  expiresAt: '2026-03-01T12:29:30.000Z',
  createdAt: '2026-03-01T11:59:30.000Z',
  completedAt: null,
  transactions: [],
  companyName: 'Blue Kettle Tea',
  logoUrl: null,
  accentColor: null,
  locale: null,
  supportEmail: null,
  productName: 'Two tins of Assam',
  merchantOrderId: 'BK-10045',
  returnUrl: 'https://shop.example/thanks?order=1&x=2',
  test: false,
};

/** Its page, with changes, in a language. */
export function pageOf(
  changes: Partial<Checkout> = {},
  { language = 'en', now = NOW, isSandbox = false } = {},
): string {
  return renderPaymentPage({
    ...{ checkout: { ...PENDING, ...changes }, nonce: 'bm9uY2U', now, isSandbox, logoPath: null },
    ...{ graphqlPath: '/graphql', scriptPath: '/pay/assets/client.js' },
    language: chooseLanguage({ chosen: language }),
  });
}

/** What a reader of the page sees, on one line. */
export function wordsOf(markup: string): string {
  const text = markup
    .slice(markup.indexOf('<body>'))
    .replace(/<[^>]*>/g, '')
    .replace(/&#39;/g, "'");
  return text.replace(/\s+/g, ' ');
}
