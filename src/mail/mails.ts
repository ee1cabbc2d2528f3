// The mails that people get, by template: what each says besides its words, and whether it has a link.

/** What fills a template: texts for its words in braces. */
export interface MailParams {
  readonly INVITATION: { readonly company: string };
  readonly RESET_PASSWORD: Readonly<Record<string, never>>;
  readonly PASSWORD_CHANGED: Readonly<Record<string, never>>;
}

export type MailTemplate = keyof MailParams;

/** A mail as it is stored: its words are chosen when it is rendered. */
export interface StoredMail<Template extends MailTemplate = MailTemplate> {
  readonly template: Template;
  readonly recipient: string;
  /** A language tag; languages that we do not have are read in English. */
  readonly locale: string;
  readonly params: MailParams[Template];
  /** What its link is made from; null for a mail without a secret. */
  readonly link: string | null;
}

/** The words of a template in one language. */
export interface MailWords {
  readonly subject: string;
  /** Paragraphs. Words in braces are filled in; `{link}` stands alone in its line. */
  readonly lines: readonly string[];
}

export type MailLanguage = Readonly<Record<MailTemplate, MailWords>>;

/** The page of the console that each link leads to; the secret stands in the fragment, which is sent to nobody. */
export const LINK_PAGES: Readonly<Record<MailTemplate, string>> = {
  INVITATION: 'accept',
  RESET_PASSWORD: 'reset',
  PASSWORD_CHANGED: 'reset',
};
