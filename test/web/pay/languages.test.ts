// The languages of the payment page: each has every sentence, and customers get a language that they can read.

import { describe, expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { chooseLanguage, LANGUAGES } from '../../../web/pay/languages.ts';
import { en, type Messages } from '../../../web/pay/languages/en.ts';
import { localeOf } from '../../../web/pay/locale.ts';
import { render } from '../../../web/pay/html.ts';

type Key = keyof Messages;
const KEYS = Object.keys(en) as Key[];
const others = LANGUAGES.filter(({ code }) => code !== 'en').map((language) => [language.code, language] as const);
const placeholders = (sentence: string) => (sentence.match(/\{\w+\}/g) ?? []).sort();

/** Sentences that may be the same as in English. */
const SAME: Readonly<Record<string, readonly Key[]>> = {
  de: ['wayWallet'],
  fr: ['receiptDate', 'receiptTransaction'],
};

/** The letters that a sentence must contain, for languages in another script. */
const SCRIPTS: Readonly<Record<string, RegExp>> = {
  ar: /\p{Script=Arabic}/u,
  zh: /\p{Script=Han}/u,
  ja: /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/u,
};

describe('the languages', () => {
  it('are the nine, and Arabic alone runs from right to left', () => {
    expect(LANGUAGES.map(({ code }) => code)).toEqual(['en', 'es', 'pt', 'fr', 'de', 'tr', 'ar', 'zh', 'ja']);
    expect(LANGUAGES.filter(({ direction }) => direction === 'rtl').map(({ code }) => code)).toEqual(['ar']);
  });

  it.each(others)('%s has every key and no other, none empty', (_code, { messages }) => {
    expect(Object.keys(messages).sort()).toEqual([...KEYS].sort());
    for (const key of KEYS) expect(messages[key].trim()).not.toBe('');
  });

  it.each(others)('%s has the placeholders of English in each sentence', (_code, { messages }) => {
    for (const key of KEYS) expect([key, placeholders(messages[key])]).toEqual([key, placeholders(en[key])]);
  });

  it.each(others)('%s has left nothing in English but what is listed', (code, { messages }) => {
    expect(KEYS.filter((key) => messages[key] === en[key])).toEqual(SAME[code] ?? []);
    const script = SCRIPTS[code];
    if (script) expect(KEYS.filter((key) => !script.test(messages[key]))).toEqual([]);
  });

  it('no sentence of any language carries markup', () => {
    for (const { messages } of LANGUAGES) expect(Object.values(messages).join('')).not.toMatch(/[<>&]/);
  });

  it('every key is used by the page', () => {
    const sources = readdirSync('web/pay', { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.startsWith('languages/'))
      .map((name) => readFileSync(`web/pay/${name}`, 'utf8'))
      .join('\n');
    expect(KEYS.filter((key) => !sources.includes(`'${key}'`))).toEqual([]);
  });
});

describe('the language of a customer', () => {
  it.each([
    ['the menu', { chosen: 'ja', setting: 'de', accepted: 'fr' }, 'ja'],
    ['the setting, where the menu was not used', { setting: 'de', accepted: 'fr' }, 'de'],
    ['the setting with its region', { setting: 'pt-BR' }, 'pt'],
    ['the browser, where there is no setting', { setting: null, accepted: 'fr-CA, fr;q=0.9, en;q=0.8' }, 'fr'],
    ['the browser, where the setting is not a language of ours', { setting: 'nl', accepted: 'tr' }, 'tr'],
    ['the one the browser prefers, in whatever order', { accepted: 'en;q=0.2, es;q=0.9, de;q=0.5' }, 'es'],
    ['none the browser refuses', { accepted: 'de;q=0, ar;q=0.1' }, 'ar'],
    ['English, where nothing is known', {}, 'en'],
    ['English, where nothing fits', { chosen: 'xx', setting: 'nl', accepted: 'fi, *;q=0.1' }, 'en'],
    ['English, whatever the address says', { chosen: '"><script>', accepted: ';q=,,-;=' }, 'en'],
    ['English, for a name that objects have', { chosen: 'constructor', accepted: '__proto__' }, 'en'],
  ] as const)('is by %s', (_by, wishes, code) => {
    expect(chooseLanguage(wishes).code).toBe(code);
  });
});

describe('speaking', () => {
  const speak = (code: string) => localeOf(chooseLanguage({ chosen: code }));

  it('amounts keep every digit, have the decimal mark of the language and no other mark', () => {
    expect(speak('en').money('123456789.012345678901234567', 'ETH')).toBe('123456789.012345678901234567\u00a0ETH');
    expect(speak('de').money('1250.5', 'USDT')).toBe('1250,5\u00a0USDT');
    expect(speak('fr').money('10000.25', 'USDT')).toBe('10000,25\u00a0USDT');
    expect(speak('ar').money('25.5', 'USDT')).toBe('25.5\u00a0USDT');
  });

  it('spans of time are those of the language', () => {
    expect(speak('en').span(29)).toBe('29 min');
    expect(speak('de').span(29)).toBe('29 Min.');
    expect(speak('ja').span(180)).toBe('3 時間');
  });

  it('what stands in for a placeholder is isolated and escaped', () => {
    const text = render(speak('ar').say('canceledText', { company: '<b>' }));
    expect(text).toContain('<bdi>&lt;b&gt;</bdi>');
    expect(speak('ar').plainly('canceledText', { company: 'A' })).toContain('\u2068A\u2069');
  });
});
