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
  /** An identity at a provider was linked or unlinked. */
  readonly IDENTITY_CHANGED: Readonly<Record<string, never>>;
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
  /** The oldest one; `count` is how many are stuck on its network, `since` a time in words. */
  readonly PAYOUT_STUCK: {
    readonly id: string;
    readonly amount: string;
    readonly network: string;
    readonly since: string;
    readonly count: string;
  };
  readonly GAS_LOW: {
    readonly network: string;
    readonly address: string;
    readonly amount: string;
    readonly needed: string;
  };
  /** Chain minus book, so with a minus where the chain holds less. */
  readonly SUSPENSE_FOUND: { readonly network: string; readonly amount: string };
  /** `action` is its kind, as `WITHDRAW_FEES`; `by` an address, or the name given on the command line. */
  readonly ACTION_PENDING: {
    readonly by: string;
    readonly action: string;
    readonly amount: string;
    readonly reason: string;
  };
  readonly SETTLEMENT_SKIPPED: { readonly company: string; readonly id: string; readonly reason: string };
  readonly RECEIPT: ToCustomer;
  /** `rest` is what is still due; both amounts are filled in when it is sent. */
  readonly UNDERPAID: ToCustomer & { readonly rest: string };
  /** What UNDERPAID becomes if the time to pay is over. */
  readonly UNDERPAID_ENDED: ToCustomer;
  readonly REFUND_SENT: ToCustomer & { readonly address: string };
}

/** Of an order: the id of its page, what it is for, an amount with its currency, and where to write to, if anywhere. */
interface ToCustomer {
  readonly company: string;
  readonly order: string;
  readonly about: string;
  readonly amount: string;
  readonly support: string;
}

/** Of a merchant, with who did it: the e-mail address of a person, or the name of a key. */
interface OfCompany {
  readonly company: string;
  readonly by: string;
}

export type MailTemplate = keyof MailParams;

/** The mails that customers get, on behalf of a merchant. */
export const CUSTOMER_TEMPLATES = ['RECEIPT', 'UNDERPAID', 'UNDERPAID_ENDED', 'REFUND_SENT'] as const;
export type CustomerTemplate = (typeof CUSTOMER_TEMPLATES)[number];

export const isToCustomer = (template: MailTemplate): template is CustomerTemplate =>
  CUSTOMER_TEMPLATES.some((known) => known === template);

/** A mail as it is stored: its words are chosen when it is rendered. */
export interface StoredMail<Template extends MailTemplate = MailTemplate> {
  readonly template: Template;
  readonly recipient: string;
  /** A language tag; languages that we do not have are read in English. */
  readonly locale: string;
  readonly params: MailParams[Template];
  /** What its link is made from; null for a mail without a secret. */
  readonly link: string | null;
  /** The merchant that it is about; null, or left out, for mails about a person. */
  readonly merchantId?: string | null;
}

/** The words of a template in one language. */
export interface MailWords {
  readonly subject: string;
  /** Paragraphs. Words in braces are filled in; `{link}` and `{unsubscribe}` stand alone in their lines. */
  readonly lines: readonly string[];
}

/** What words there are for: each template, and an invitation to register. */
export type MailWording = MailTemplate | 'INVITATION_TO_REGISTER';

export type MailLanguage = Readonly<Record<MailWording, MailWords>>;

/** Which words a mail has. */
export const wordingOf = ({ template, params }: Pick<StoredMail, 'template' | 'params'>): MailWording =>
  template === 'INVITATION' && !('company' in params) ? 'INVITATION_TO_REGISTER' : template;

/**
 * The page that each link leads to; the secret stands in the fragment, which is sent to nobody. Mails to customers lead
 * to the page of their order instead.
 */
export const LINK_PAGES: Readonly<Record<Exclude<MailTemplate, CustomerTemplate>, string>> = {
  INVITATION: '/console/accept',
  RESET_PASSWORD: '/console/reset',
  PASSWORD_CHANGED: '/console/reset',
  VERIFY_EMAIL: '/console/verify',
  SIGN_IN_CODE: '/console',
  EMAIL_CHANGED: '/console/revert',
  FACTOR_CHANGED: '/console/reset',
  IDENTITY_CHANGED: '/console/reset',
  NEW_DEVICE: '/console/account',
  ...{ MEMBER_CHANGED: '/console', APPROVER_ADDED: '/console', KEY_WITH_WITHDRAW: '/console', WEBHOOK_OFF: '/console' },
  ...{
    PAYOUT_AWAITING: '/console/approvals',
    PAYOUT_FAILED: '/console/wallet',
    PAYOUT_REJECTED: '/console/wallet',
    SETTLEMENT_SKIPPED: '/console/wallet/settlement',
    ADDRESS_ADDED: '/console/wallet/addresses',
    POLICY_LOOSENED: '/console/wallet/policy',
  },
  PAYOUT_STUCK: '/operator/payouts',
  GAS_LOW: '/operator',
  SUSPENSE_FOUND: '/operator/funds',
  ACTION_PENDING: '/operator/actions',
};
