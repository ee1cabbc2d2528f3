// Renders a stored mail as text and as HTML, in the language of its recipient.

import { linkSecret, mailCode } from '../values/secrets/mail-links.ts';
import { unsubscribeToken, type UnsubscribeKeys } from '../values/secrets/unsubscribe-tokens.ts';
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
import { isToCustomer, LINK_PAGES, wordingOf, type MailLanguage, type StoredMail } from './mails.ts';

const LANGUAGES = new Map<string, MailLanguage>(Object.entries({ ar, de, en, es, fr, ja, pt, tr, zh }));

/** What a mail needs of the gateway. */
export interface MailSettings extends UnsubscribeKeys {
  /** Without a trailing slash. */
  readonly baseUrl: string;
  /** Of the pages of customers; without a trailing slash. */
  readonly payUrl: string;
}

export interface RenderedMail {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** Where answers go; null for the sender. */
  readonly replyTo: string | null;
  /** The URL that a POST ends such mails at (RFC 8058); null for mails that nobody can end. */
  readonly unsubscribe: string | null;
}

/** Renders a mail. What merchants wrote takes the place of its word, on one line, and is never read again. */
export function renderMail(mail: StoredMail, settings: MailSettings): RenderedMail {
  const { template, recipient, locale, params, link } = mail;
  const tag = locale.toLowerCase().split('-')[0] ?? '';
  const [language, words] = [LANGUAGES.has(tag) ? tag : 'en', LANGUAGES.get(tag) ?? en];
  const { company = '', support = '' } = params as { readonly company?: string; readonly support?: string };
  const [target, unsubscribe] = [linkOf(mail, settings), unsubscribeLinkOf(mail, settings)];
  const filling: Readonly<Record<string, string>> = {
    ...{ host: new URL(settings.baseUrl).host, email: recipient, contact: support || company, ...params },
    ...{ link: target, unsubscribe: unsubscribe ?? '' },
    code: link === null ? '' : mailCode(settings.linkKey, link),
  };
  const fill = (text: string) => text.replaceAll(/\{(\w+)\}/g, (_, name: string) => onOneLine(filling[name] ?? ''));
  const said = words[wordingOf(mail)];
  const [subject, lines] = [fill(said.subject), said.lines.map(fill)];
  const html = toHtml({ language, subject, lines, links: [target, ...(unsubscribe === null ? [] : [unsubscribe])] });
  const replyTo = isToCustomer(template) && support !== '' ? support : null;
  return { subject, text: `${lines.join('\n\n')}\n`, html, replyTo, unsubscribe };
}

/** Where a mail leads: customers to the page of their order, everybody else to one of the console. */
function linkOf({ template, params, link }: StoredMail, { baseUrl, payUrl, linkKey }: MailSettings): string {
  if (isToCustomer(template)) return `${payUrl}/${(params as { readonly order?: string }).order ?? ''}`;
  const page = `${baseUrl}${LINK_PAGES[template]}`;
  return link === null ? page : `${page}#${linkSecret(linkKey, link)}`;
}

function unsubscribeLinkOf({ template, merchantId, recipient }: StoredMail, settings: MailSettings): string | null {
  if (!isToCustomer(template) || merchantId == null) return null;
  return `${settings.baseUrl}/mail/unsubscribe/${unsubscribeToken(settings, merchantId, recipient)}`;
}

/** Line breaks and other controls become spaces: no name adds a header or a paragraph. */
const onOneLine = (text: string): string => text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ');
