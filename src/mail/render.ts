// Renders a stored mail as text, in the language of its recipient.

import { linkSecret } from '../values/secrets/mail-links.ts';
import { ar } from './languages/ar.ts';
import { de } from './languages/de.ts';
import { en } from './languages/en.ts';
import { es } from './languages/es.ts';
import { fr } from './languages/fr.ts';
import { ja } from './languages/ja.ts';
import { pt } from './languages/pt.ts';
import { tr } from './languages/tr.ts';
import { zh } from './languages/zh.ts';
import { LINK_PAGES, type MailLanguage, type StoredMail } from './mails.ts';

const LANGUAGES = new Map<string, MailLanguage>(Object.entries({ ar, de, en, es, fr, ja, pt, tr, zh }));

/** What a mail needs of the gateway. */
export interface MailSettings {
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly linkKey: Uint8Array;
}

export interface RenderedMail {
  readonly subject: string;
  readonly text: string;
}

/** Renders a mail. What merchants wrote takes the place of its word, on one line, and is never read again. */
export function renderMail(mail: StoredMail, { baseUrl, linkKey }: MailSettings): RenderedMail {
  const { template, recipient, locale, params, link } = mail;
  const language = LANGUAGES.get(locale.toLowerCase().split('-')[0] ?? '') ?? en;
  const page = `${baseUrl}/console/${LINK_PAGES[template]}`;
  const words: Readonly<Record<string, string>> = {
    ...{ host: new URL(baseUrl).host, email: recipient, ...params },
    link: link === null ? page : `${page}#${linkSecret(linkKey, link)}`,
  };
  const fill = (text: string) => text.replaceAll(/\{(\w+)\}/g, (_, name: string) => onOneLine(words[name] ?? ''));
  const { subject, lines } = language[template];
  return { subject: fill(subject), text: `${lines.map(fill).join('\n\n')}\n` };
}

/** Line breaks and other controls become spaces: no name adds a header or a paragraph. */
const onOneLine = (text: string): string => text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ');
