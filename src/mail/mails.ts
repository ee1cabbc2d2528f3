// The mails that people get, by template: what each says besides its words, and whether it has a link.

/** What fills a template: texts for its words in braces. */
export interface MailParams {
  /** Of a merchant; without one it is the operator's, to register. */
  readonly INVITATION: { readonly company?: string };
  readonly RESET_PASSWORD: Readonly<Record<string, never>>;
  readonly PASSWORD_CHANGED: Readonly<Record<string, never>>;
  readonly VERIFY_EMAIL: Readonly<Record<string, never>>;
  /** Its `link` is what the code is made from. */
  readonly SIGN_IN_CODE: Readonly<Record<string, never>>;
  /** To the old address; `address` is the new one. */
  readonly EMAIL_CHANGED: { readonly address: string };
  readonly FACTOR_CHANGED: Readonly<Record<string, never>>;
  /** `at` is a time in words. */
  readonly NEW_DEVICE: { readonly address: string; readonly device: string; readonly at: string };
  readonly MEMBER_CHANGED: OfCompany & { readonly member: string };
  readonly APPROVER_ADDED: OfCompany & { readonly member: string; readonly from: string };
  readonly KEY_WITH_WITHDRAW: OfCompany & { readonly key: string };
  readonly WEBHOOK_OFF: { readonly company: string; readonly url: string };
  readonly PAYOUT_AWAITING: OfCompany & { readonly amount: string; readonly address: string };
  readonly PAYOUT_FAILED: { readonly company: string; readonly id: string; readonly amount: string };
  readonly PAYOUT_REJECTED: MailParams['PAYOUT_FAILED'] & { readonly reason: string };
  readonly ADDRESS_ADDED: OfCompany & { readonly address: string; readonly network: string; readonly from: string };
  readonly POLICY_LOOSENED: OfCompany & { readonly from: string };
  readonly SETTLEMENT_SKIPPED: { readonly company: string; readonly id: string; readonly reason: string };
}

/** Of a merchant, with who did it: the e-mail address of a person, or the name of a key. */
interface OfCompany {
  readonly company: string;
  readonly by: string;
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

/** What words there are for: each template, and an invitation to register. */
export type MailWording = MailTemplate | 'INVITATION_TO_REGISTER';

export type MailLanguage = Readonly<Record<MailWording, MailWords>>;

/** Which words a mail has. */
export const wordingOf = ({ template, params }: Pick<StoredMail, 'template' | 'params'>): MailWording =>
  template === 'INVITATION' && !('company' in params) ? 'INVITATION_TO_REGISTER' : template;

/**
 * The page of the console that each link leads to, `''` for its first; the secret stands in the fragment, which is sent
 * to nobody.
 */
export const LINK_PAGES: Readonly<Record<MailTemplate, string>> = {
  INVITATION: '/accept',
  RESET_PASSWORD: '/reset',
  PASSWORD_CHANGED: '/reset',
  VERIFY_EMAIL: '/verify',
  SIGN_IN_CODE: '',
  EMAIL_CHANGED: '/revert',
  FACTOR_CHANGED: '/reset',
  NEW_DEVICE: '/account',
  ...{ MEMBER_CHANGED: '', APPROVER_ADDED: '', KEY_WITH_WITHDRAW: '', WEBHOOK_OFF: '' },
  ...{ PAYOUT_AWAITING: '/approvals', PAYOUT_FAILED: '/wallet', PAYOUT_REJECTED: '/wallet' },
  ...{
    SETTLEMENT_SKIPPED: '/wallet/settlement',
    ADDRESS_ADDED: '/wallet/addresses',
    POLICY_LOOSENED: '/wallet/policy',
  },
};
