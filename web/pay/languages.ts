// The languages of the payment page, and which one a customer gets.

import { ar } from './languages/ar.ts';
import { de } from './languages/de.ts';
import { en, type Messages } from './languages/en.ts';
import { es } from './languages/es.ts';
import { fr } from './languages/fr.ts';
import { ja } from './languages/ja.ts';
import { pt } from './languages/pt.ts';
import { tr } from './languages/tr.ts';
import { zh } from './languages/zh.ts';

/** A language: its own name for itself, its direction, and the Intl locales of its numbers and of its dates. */
export interface Language {
  readonly code: LanguageCode;
  readonly name: string;
  readonly direction: 'ltr' | 'rtl';
  readonly numbers: string;
  readonly dates: string;
  readonly messages: Messages;
}

export type LanguageCode = 'en' | 'es' | 'pt' | 'fr' | 'de' | 'tr' | 'ar' | 'zh' | 'ja';

const row = (code: LanguageCode, name: string, messages: Messages): Language => ({
  code,
  name,
  direction: 'ltr',
  numbers: code,
  // Of most who read English, the day comes before the month.
  dates: code === 'en' ? 'en-GB' : code,
  messages,
});

/** All languages, in the order of the menu. */
export const LANGUAGES: readonly Language[] = [
  row('en', 'English', en),
  row('es', 'Español', es),
  row('pt', 'Português', pt),
  row('fr', 'Français', fr),
  row('de', 'Deutsch', de),
  row('tr', 'Türkçe', tr),
  // Latin digits, as in wallets, so that an amount looks the same in both.
  { ...row('ar', 'العربية', ar), direction: 'rtl', numbers: 'ar-u-nu-latn', dates: 'ar-u-nu-latn' },
  row('zh', '中文', zh),
  row('ja', '日本語', ja),
];

/** Where the customer's language can come from, in order of precedence. */
export interface LanguageWishes {
  /** Chosen in the page's menu. */
  readonly chosen?: string | undefined;
  /** The merchant's setting, a BCP 47 tag. */
  readonly setting?: string | null | undefined;
  /** The browser's Accept-Language (RFC 9110, section 12.5.4). */
  readonly accepted?: string | undefined;
}

/** The first requested language that we have, otherwise English. */
export function chooseLanguage({ chosen, setting, accepted = '' }: LanguageWishes): Language {
  const wishes = [chosen ?? '', setting ?? '', ...byPreference(accepted)];
  for (const wish of wishes) {
    const [code] = wish.trim().toLowerCase().split('-');
    const language = LANGUAGES.find((known) => known.code === code);
    if (language) return language;
  }
  return ENGLISH;
}

/** The last resort, if we have none of the requested languages. */
const ENGLISH = row('en', 'English', en);

/** At most this many ranges are read from the header, which is untrusted. */
const MOST_RANGES = 20;

function byPreference(header: string): string[] {
  return header
    .split(',', MOST_RANGES)
    .map((range) => {
      const [tag = '', ...parameters] = range.trim().split(';');
      const weight = /^\s*q=([01](?:\.\d{0,3})?)\s*$/i.exec(parameters[0] ?? '')?.[1];
      return { tag, weight: weight === undefined ? 1 : Number(weight) };
    })
    .filter(({ weight }) => weight > 0)
    .sort((one, other) => other.weight - one.weight)
    .map(({ tag }) => tag);
}
