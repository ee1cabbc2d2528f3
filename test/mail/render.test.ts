// Mails: every template in every language, with its link, and nothing that a merchant's words could add.

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  CUSTOMER_TEMPLATES,
  isToCustomer,
  LINK_PAGES,
  type MailParams,
  type MailTemplate,
  type StoredMail,
} from '../../src/mail/mails.ts';
import { renderMail } from '../../src/mail/render.ts';
import { linkSecret, mailCode, readLinkSecret } from '../../src/values/secrets/mail-links.ts';
import {
  readUnsubscribeToken,
  unsubscribeToken,
  unsubscriptionOf,
} from '../../src/values/secrets/unsubscribe-tokens.ts';

const linkKey = Buffer.alloc(32, 1);
const customerKey = Buffer.alloc(32, 3);
const settings = {
  ...{ baseUrl: 'https://pay.kettle.example', payUrl: 'https://pay.kettle.example/pay', linkKey, customerKey },
};
const LOCALES = ['en', 'es', 'pt', 'fr', 'de', 'tr', 'ar', 'zh', 'ja'];
const OF = { company: 'Blue Kettle', by: 'bo@shop.example' };
const ORDER = {
  company: 'Blue Kettle',
  order: 'ord_1',
  about: 'Assam',
  amount: '60 USDT (ETH)',
  support: 'help@shop.example',
};
const FROM = '2026-11-29T12:00:00.000Z';
const PARAMS: MailParams = {
  ...{ INVITATION: { company: 'Blue Kettle' }, RESET_PASSWORD: {}, PASSWORD_CHANGED: {} },
  ...{ VERIFY_EMAIL: {}, SIGN_IN_CODE: {}, FACTOR_CHANGED: {}, IDENTITY_CHANGED: {} },
  EMAIL_CHANGED: { address: 'ann@kettle.example' },
  NEW_DEVICE: { address: '192.0.2.1', device: 'Firefox, Linux', at: '2026-11-28 08:30 UTC' },
  MEMBER_CHANGED: { ...OF, member: 'cy@shop.example' },
  APPROVER_ADDED: { ...OF, member: 'cy@shop.example', from: FROM },
  KEY_WITH_WITHDRAW: { ...OF, key: 'Payroll' },
  WEBHOOK_OFF: { company: 'Blue Kettle', url: 'https://shop.example/hook' },
  PAYOUT_AWAITING: { ...OF, amount: '12.5 USDT', address: '0x5290' },
  PAYOUT_FAILED: { company: 'Blue Kettle', id: 'wdr_1', amount: '12.5 USDT' },
  PAYOUT_REJECTED: { company: 'Blue Kettle', id: 'wdr_1', amount: '12.5 USDT', reason: 'Unknown' },
  ADDRESS_ADDED: { ...OF, address: '0x5290', network: 'ETH', from: FROM },
  POLICY_LOOSENED: { ...OF, from: FROM },
  PAYOUT_STUCK: { id: 'wdr_1', amount: '12.5 USDT', network: 'ETH', since: '2026-11-28 08:30 UTC', count: '7' },
  GAS_LOW: { network: 'ETH', address: '0x8839', amount: '0.01 ETH', needed: '0.02 ETH' },
  SUSPENSE_FOUND: { network: 'ETH', amount: '-5 USDT' },
  ACTION_PENDING: { by: 'bo@gateway.example', action: 'WITHDRAW_FEES', amount: '0.4 ETH', reason: 'to cold' },
  SETTLEMENT_SKIPPED: { company: 'Blue Kettle', id: 'stl_1', reason: '4007' },
  RECEIPT: ORDER,
  UNDERPAID: { ...ORDER, rest: '40 USDT (ETH)' },
  UNDERPAID_ENDED: ORDER,
  REFUND_SENT: { ...ORDER, address: '0x5290' },
};
const TEMPLATES = Object.keys(PARAMS) as MailTemplate[];
const pageOf = (template: MailTemplate) =>
  isToCustomer(template) ? 'pay/ord_1' : `${LINK_PAGES[template].slice(1)}#${linkSecret(linkKey, 'tok_1')}`;
const mailOf = (template: MailTemplate, locale: string, link: string | null = 'tok_1'): StoredMail => ({
  ...{ template, locale, link, recipient: 'ann@shop.example', params: PARAMS[template], merchantId: 'mer_1' },
});

describe.each(TEMPLATES)('%s', (template) => {
  it.each(LOCALES)('in %s has a subject, its link in a line of its own, and every word filled in', (locale) => {
    const { subject, text, html } = renderMail(mailOf(template, locale), settings);
    const lines = text.trim().split('\n\n');
    const link = `https://pay.kettle.example/${pageOf(template)}`;
    if (template === 'SIGN_IN_CODE') expect(`${subject}${text}`.split(mailCode(linkKey, 'tok_1'))).toHaveLength(3);
    else expect(lines).toContain(link);
    for (const value of Object.values<string>({ ...PARAMS[template] })) expect(`${subject}${text}`).toContain(value);
    expect(subject.length).toBeGreaterThan(3);
    expect(`${subject}${text}`).not.toMatch(/[{}]|undefined/);
    expect(text).toContain('pay.kettle.example');
    expect(html).toContain(`<html lang="${locale}" dir="${locale === 'ar' ? 'rtl' : 'ltr'}">`);
    expect(html.match(/<p>/g)).toHaveLength(lines.length);
    expect(html).not.toMatch(/<(img|script|link|iframe)|url\(|[{}]|undefined/i);
    if (template === 'INVITATION') expect(subject).toContain('Blue Kettle');
  });

  it('has words of its own in each language', () => {
    const subjects = LOCALES.map((locale) => renderMail(mailOf(template, locale), settings).subject);
    expect(new Set(subjects).size).toBe(LOCALES.length);
  });
});

describe('an invitation of the operator', () => {
  it('names the host in place of a company, in every language', () => {
    const mail = { ...mailOf('INVITATION', 'en'), params: {} };
    const subjects = LOCALES.map((locale) => {
      const { subject, text } = renderMail({ ...mail, locale }, settings);
      const link = `https://pay.kettle.example/console/accept#${linkSecret(linkKey, 'tok_1')}`;
      expect(text.trim().split('\n\n')).toContain(link);
      expect(subject).toContain('pay.kettle.example');
      expect(`${subject}${text}`).not.toMatch(/[{}]|undefined|Blue Kettle/);
      return subject;
    });
    expect(new Set(subjects).size).toBe(LOCALES.length);
  });
});

describe('a mail', () => {
  it('in a language that we do not have is in English, and a region changes nothing', () => {
    const [english, german] = ['en', 'de'].map((locale) => renderMail(mailOf('RESET_PASSWORD', locale), settings));
    expect(renderMail(mailOf('RESET_PASSWORD', 'nl'), settings)).toEqual(english);
    expect(renderMail(mailOf('RESET_PASSWORD', 'de-AT'), settings)).toEqual(german);
    expect(renderMail(mailOf('RESET_PASSWORD', 'constructor'), settings)).toEqual(english);
  });

  it('without a secret links to the page alone', () => {
    const { text } = renderMail(mailOf('PASSWORD_CHANGED', 'en', null), settings);
    expect(text).toContain('https://pay.kettle.example/console/reset\n');
  });

  it('shows markup of merchants as text, and makes no link of it', () => {
    const params = { company: `<img src=x onerror='a'>&"https://evil.example` };
    const mail: StoredMail<'INVITATION'> = { ...mailOf('INVITATION', 'en'), template: 'INVITATION', params };
    const { html } = renderMail(mail, settings);
    expect(html).toContain('&lt;img src=x onerror=&#39;a&#39;&gt;&amp;&quot;https://evil.example');
    expect(html.match(/<a /g)).toHaveLength(1);
    expect(html).not.toContain('<img');
  });

  it('says what a company is called, whatever that is, in its place and on one line', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1, maxLength: 60 }), (company) => {
        const mail: StoredMail<'INVITATION'> = {
          ...mailOf('INVITATION', 'en'),
          template: 'INVITATION',
          params: { company },
        };
        const { subject, text } = renderMail(mail, settings);
        const plain = renderMail({ ...mail, params: { company: 'x' } }, settings);
        expect(text.split('\n')).toHaveLength(plain.text.split('\n').length);
        expect(subject).not.toMatch(/[\r\n]/);
      }),
    );
    const params = { company: '{link} {email}\r\nBcc: all@shop.example' };
    const { subject } = renderMail({ ...mailOf('INVITATION', 'en'), template: 'INVITATION', params }, settings);
    expect(subject).toBe('{link} {email} Bcc: all@shop.example invites you to Turnpike');
  });
});

describe('a mail to a customer', () => {
  it.each(CUSTOMER_TEMPLATES)(
    '%s can be ended by its link, which names nobody, and is answered to the shop',
    (template) => {
      const { replyTo, unsubscribe, text, html } = renderMail(mailOf(template, 'en'), settings);
      expect(replyTo).toBe('help@shop.example');
      const token = unsubscribeToken(settings, 'mer_1', 'ann@shop.example');
      expect(unsubscribe).toBe(`https://pay.kettle.example/mail/unsubscribe/${token}`);
      expect(text.trim().split('\n\n').at(-1)).toBe(unsubscribe);
      expect(html.match(/<a /g)).toHaveLength(2);
      expect(unsubscribe).not.toMatch(/ann|shop/);
    },
  );

  it('without an address for answers names the shop, and has no Reply-To', () => {
    const mail = { ...mailOf('RECEIPT', 'en'), params: { ...PARAMS.RECEIPT, support: '' } };
    const { replyTo, text } = renderMail(mail, settings);
    expect(replyTo).toBeNull();
    expect(text).toContain('write to Blue Kettle.');
  });

  it.each(['INVITATION', 'PAYOUT_FAILED'] as const)('is not what %s is, which nobody can end', (template) => {
    const { replyTo, unsubscribe } = renderMail(mailOf(template, 'en'), settings);
    expect([replyTo, unsubscribe]).toEqual([null, null]);
  });
});

describe('the token that ends mails', () => {
  const token = unsubscribeToken(settings, 'mer_1', 'Ann@Shop.example');

  it('names a merchant and an address, in any case', () => {
    expect(readUnsubscribeToken(settings, token)).toEqual(unsubscriptionOf(settings, 'mer_1', 'ann@shop.example'));
    expect(unsubscribeToken(settings, 'mer_1', 'ann@shop.example')).toBe(token);
    expect(unsubscribeToken(settings, 'mer_2', 'ann@shop.example')).not.toBe(token);
  });

  it('that is not ours is none', () => {
    const [merchant = '', digest = '', proof = ''] = token.split('.');
    const other = unsubscribeToken(settings, 'mer_2', 'bo@shop.example').split('.');
    const forged = [
      ...['', '.', '..', `${merchant}.${digest}`, `${merchant}.${digest}.`, `${token}.`, `${token}=`, ` ${token}`],
      ...[`mer_2.${digest}.${proof}`, `${merchant}.${String(other[1])}.${proof}`, `${merchant}.${digest}.${digest}`],
      ...[token.slice(0, -1), `${merchant}.${digest}.${'A'.repeat(5_000)}`],
    ];
    for (const text of forged) expect([text, readUnsubscribeToken(settings, text)]).toEqual([text, null]);
    expect(readUnsubscribeToken({ linkKey: Buffer.alloc(32, 2) }, token)).toBeNull();
    fc.assert(fc.property(fc.string(), (text) => expect(readUnsubscribeToken(settings, text)).toBeNull()));
  });
});

describe('the secret of a link', () => {
  it('is read back, and any other is not', () => {
    const secret = linkSecret(linkKey, 'tok_1');
    expect(readLinkSecret(linkKey, secret)).toBe('tok_1');
    expect(readLinkSecret(Buffer.alloc(32, 2), secret)).toBeNull();
    const digest = secret.slice('tok_1.'.length);
    for (const other of [
      '',
      '.',
      'tok_1',
      'tok_1.',
      `tok_2.${digest}`,
      `${secret}.`,
      `${secret}=`,
      ` ${secret}`,
      secret.slice(0, -1),
    ])
      expect([other, readLinkSecret(linkKey, other)]).toEqual([other, null]);
  });

  it('is no code of a mail, which has six digits', () => {
    const codes = Array.from({ length: 200 }, (_, nth) => mailCode(linkKey, `chg_${String(nth)}`));
    for (const code of codes) expect(code).toMatch(/^\d{6}$/);
    expect(new Set(codes).size).toBeGreaterThan(195);
    expect(mailCode(Buffer.alloc(32, 2), 'chg_1')).not.toBe(codes[1]);
  });

  it('cannot be guessed from another', () => {
    fc.assert(fc.property(fc.string(), (text) => expect(readLinkSecret(linkKey, text)).toBeNull()));
  });
});
