// Renders a stored mail as text and as HTML, in the language of its recipient.

import { linkSecret, mailCode } from '../values/secrets/mail-links.ts';
import { ar } from './languages/ar.ts';
import { de } from './languages/de.ts';
import { en } from './languages/en.ts';
import { es } from './languages/es.ts';
import { fr } from './languages/fr.ts';
import { ja } from './languages/ja.ts';
import { pt } from './languages/pt.ts';
import { tr } from './languages/tr.ts';
import { zh } from './languages/zh.ts';
import { toHtml } from './html.ts';
import { LINK_PAGES, wordingOf, type MailLanguage, type StoredMail } from './mails.ts';

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
  readonly html: string;
}

/** Renders a mail. What merchants wrote takes the place of its word, on one line, and is never read again. */
export function renderMail(mail: StoredMail, { baseUrl, linkKey }: MailSettings): RenderedMail {
  const { template, recipient, locale, params, link } = mail;
  const tag = locale.toLowerCase().split('-')[0] ?? '';
  const [language, words] = [LANGUAGES.has(tag) ? tag : 'en', LANGUAGES.get(tag) ?? en];
  const page = `${baseUrl}${LINK_PAGES[template]}`;
  const target = link === null ? page : `${page}#${linkSecret(linkKey, link)}`;
  const filling: Readonly<Record<string, string | undefined>> = {
    ...{ host: new URL(baseUrl).host, email: recipient, ...params },
    link: target,
    code: link === null ? '' : mailCode(linkKey, link),
  };
  const fill = (text: string) => text.replaceAll(/\{(\w+)\}/g, (_, name: string) => onOneLine(filling[name] ?? ''));
  const said = words[wordingOf(mail)];
  const [subject, lines] = [fill(said.subject), said.lines.map(fill)];
  return { subject, text: `${lines.join('\n\n')}\n`, html: toHtml({ language, subject, lines, link: target }) };
}

/** Line breaks and other controls become spaces: no name adds a header or a paragraph. */
const onOneLine = (text: string): string => text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ');
