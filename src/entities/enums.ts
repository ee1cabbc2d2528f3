// The enumerations shared by the GraphQL schema and the tables; those of payouts are in payout-enums.ts.

import 'reflect-metadata';
import { registerEnumType } from 'type-graphql';
import { MEMBER_PERMISSIONS, ROLES } from '../values/member-permission.ts';
import { WEBHOOK_FORMS } from '../values/formats/greenfield.ts';
import { PERMISSIONS } from '../values/permission.ts';

/** A list of names as an enumeration that GraphQL can register. */
export const asEnum = <const Name extends string>(names: readonly Name[]): { readonly [N in Name]: N } =>
  Object.fromEntries(names.map((name) => [name, name])) as { readonly [N in Name]: N };

/** The states of a payment (contract, section 5). */
export const PAYMENT_STATUSES = [
  'PENDING',
  'PARTIALLY_PAID',
  'CONFIRMING',
  'SUCCEEDED',
  'FAILED',
  'EXPIRED',
  'CANCELED',
  'PARTIALLY_REFUNDED',
  'REFUNDED',
] as const;
export type PaymentStatus = (typeof PAYMENT_STATUSES)[number];

/** The states of an invoice: those of a payment, in the words of a shop (contract-invoices, section 4). */
export const INVOICE_STATUSES = [
  'OPEN',
  'PARTIALLY_PAID',
  'PROCESSING',
  'SETTLED',
  'FAILED',
  'EXPIRED',
  'CANCELED',
  'PARTIALLY_REFUNDED',
  'REFUNDED',
] as const;
export type InvoiceStatus = (typeof INVOICE_STATUSES)[number];

/** Whether a coin may be chosen for an invoice at the moment (contract-invoices, section 5). */
export const OPTION_STATES = ['OPEN', 'NO_RATE', 'NO_NODE', 'BELOW_MINIMUM', 'ABOVE_MAXIMUM'] as const;
export type OptionState = (typeof OPTION_STATES)[number];

/** Where a rate is from: the market now, the market of some minutes ago, the merchant, or nowhere. */
export const RATE_STATES = ['FRESH', 'HELD', 'FIXED', 'NONE'] as const;
export type RateState = (typeof RATE_STATES)[number];

/** What the form of a payment link may ask its customer for (contract-invoices, section 9). */
export const LINK_FIELDS = ['EMAIL', 'NAME', 'PHONE', 'ADDRESS', 'NOTE'] as const;
export type LinkField = (typeof LINK_FIELDS)[number];

/** Set beside the status when something about a payment was out of the ordinary. */
export const PAYMENT_EXCEPTIONS = ['UNDERPAID', 'OVERPAID', 'PAID_LATE', 'UNCONFIRMED', 'REORGED'] as const;
export type PaymentException = (typeof PAYMENT_EXCEPTIONS)[number];

export const DEPOSIT_STATUSES = ['PENDING', 'CONFIRMED', 'ORPHANED'] as const;
export type DepositStatus = (typeof DEPOSIT_STATUSES)[number];

export const DELIVERY_STATUSES = ['PENDING', 'RETRYING', 'SUCCESS', 'FAILED', 'DISABLED'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** What somebody shows besides their password, or in its place (contract-people-payouts, section A). */
export const FACTOR_KINDS = ['TOTP', 'PASSKEY', 'RECOVERY_CODE', 'MAIL_CODE'] as const;
export type FactorKind = (typeof FACTOR_KINDS)[number];

/** Who may register a merchant (contract-people-payouts, section A). */
export const REGISTRATION_MODES = ['OPEN', 'INVITE', 'CLOSED'] as const;
export type RegistrationMode = (typeof REGISTRATION_MODES)[number];

/** What happens when the full amount arrives late. */
export const LATE_PAYMENT_POLICIES = ['ACCEPT', 'MANUAL'] as const;
export type LatePaymentPolicy = (typeof LATE_PAYMENT_POLICIES)[number];

/** The mails that a merchant may have sent to customers. */
export const CUSTOMER_MAILS = ['RECEIPT', 'UNDERPAID', 'REFUND'] as const;
export type CustomerMail = (typeof CUSTOMER_MAILS)[number];

export const CustomerMailEnum = asEnum(CUSTOMER_MAILS);
export const LatePaymentPolicyEnum = asEnum(LATE_PAYMENT_POLICIES);
export const PermissionEnum = asEnum(PERMISSIONS);
export const MemberPermissionEnum = asEnum(MEMBER_PERMISSIONS);
export const RoleEnum = asEnum(ROLES);
export const FactorKindEnum = asEnum(FACTOR_KINDS);
export const RegistrationModeEnum = asEnum(REGISTRATION_MODES);
export const PaymentStatusEnum = asEnum(PAYMENT_STATUSES);
export const InvoiceStatusEnum = asEnum(INVOICE_STATUSES);
export const OptionStateEnum = asEnum(OPTION_STATES);
export const RateStateEnum = asEnum(RATE_STATES);
export const LinkFieldEnum = asEnum(LINK_FIELDS);
export const PaymentExceptionEnum = asEnum(PAYMENT_EXCEPTIONS);
export const DepositStatusEnum = asEnum(DEPOSIT_STATUSES);
export const DeliveryStatusEnum = asEnum(DELIVERY_STATUSES);
export const WebhookFormEnum = asEnum(WEBHOOK_FORMS);

const OF_KEYS = {
  READ_PAYMENTS: { description: 'Query payment orders.' },
  CREATE_PAYMENTS: { description: 'Create payment orders.' },
  CANCEL_PAYMENTS: { description: 'Cancel payment orders.' },
  READ_WALLET: { description: 'Read the wallet balance.' },
  WITHDRAW: { description: 'Start withdrawals and refunds.' },
  MANAGE_WEBHOOKS: { description: 'Manage webhooks.' },
  READ_REPORTS: { description: 'View reports.' },
  MANAGE_SETTINGS: { description: 'Change merchant settings.' },
};
registerEnumType(PermissionEnum, {
  name: 'Permission',
  description: 'What a key, and a token issued for it, may do.',
  valuesConfig: OF_KEYS,
});
registerEnumType(MemberPermissionEnum, {
  name: 'MemberPermission',
  description: 'What a member of a merchant may do. Keys have the first eight at most.',
  valuesConfig: {
    ...OF_KEYS,
    APPROVE_PAYOUTS: { description: 'Approve payouts that others requested.' },
    MANAGE_ADDRESSES: { description: 'Keep the book of payout addresses.' },
    MANAGE_POLICY: { description: 'Change the policy of payouts.' },
    MANAGE_KEYS: { description: 'Make, change and revoke API keys.' },
    MANAGE_PEOPLE: { description: 'Change and remove members, and keep custom roles.' },
    READ_AUDIT: { description: 'Read the audit log.' },
    ERASE_CUSTOMERS: { description: "Erase a customer's data." },
  },
});
registerEnumType(RoleEnum, {
  name: 'Role',
  description: 'What a member is at a merchant.',
  valuesConfig: {
    OWNER: { description: 'Everything; only owners touch owners.' },
    ADMIN: { description: 'Everything but the policy of payouts.' },
    DEVELOPER: { description: 'Payments, webhooks and API keys.' },
    ACCOUNTANT: { description: 'Payments and wallet to read, withdrawals, reports.' },
    SUPPORT: { description: 'Payments.' },
    VIEWER: { description: 'Payments, wallet and reports to read.' },
    CUSTOM: { description: "The permissions of one of the merchant's own roles." },
  },
});
registerEnumType(FactorKindEnum, {
  name: 'FactorKind',
  description: 'What somebody shows besides their password, or in its place.',
  valuesConfig: {
    TOTP: { description: 'The code of an authenticator app.' },
    PASSKEY: { description: 'A passkey: a key in a phone, a computer or on a stick.' },
    RECOVERY_CODE: { description: 'One of ten codes for those who have lost the others.' },
    MAIL_CODE: { description: 'A code by mail, on devices that are not known, while the account is attacked.' },
  },
});
registerEnumType(RegistrationModeEnum, {
  name: 'RegistrationMode',
  description: 'Who may register a merchant.',
  valuesConfig: {
    OPEN: { description: 'Anybody.' },
    INVITE: { description: 'Those whom the operator invites.' },
    CLOSED: { description: 'Nobody: the operator adds merchants.' },
  },
});
registerEnumType(PaymentStatusEnum, {
  name: 'PaymentStatus',
  description: 'Where a payment stands.',
  valuesConfig: {
    PENDING: { description: 'Nothing was seen on the chain yet.' },
    PARTIALLY_PAID: { description: 'Something was seen, but less than is due.' },
    CONFIRMING: { description: 'Enough was seen; confirmations are awaited.' },
    SUCCEEDED: { description: 'Enough is confirmed.' },
    FAILED: { description: 'It was underpaid, never confirmed, or reorganised away; `exception` says which.' },
    EXPIRED: { description: 'Nothing arrived in time.' },
    CANCELED: { description: 'The merchant canceled it.' },
    PARTIALLY_REFUNDED: { description: 'A part was refunded.' },
    REFUNDED: { description: 'All of it was refunded.' },
  },
});
registerEnumType(InvoiceStatusEnum, {
  name: 'InvoiceStatus',
  description: 'Where an invoice stands.',
  valuesConfig: {
    OPEN: { description: 'Nothing was seen on a chain yet.' },
    PARTIALLY_PAID: { description: 'Something was seen, but it is worth less than is due.' },
    PROCESSING: { description: 'Enough was seen; confirmations are awaited.' },
    SETTLED: { description: 'Enough is confirmed.' },
    FAILED: { description: 'It was underpaid, never confirmed, or reorganised away; `exception` says which.' },
    EXPIRED: { description: 'Nothing arrived in time.' },
    CANCELED: { description: 'The merchant canceled it.' },
    PARTIALLY_REFUNDED: { description: 'A part was refunded.' },
    REFUNDED: { description: 'All of it was refunded.' },
  },
});
registerEnumType(OptionStateEnum, {
  name: 'OptionState',
  description: 'Whether a coin may be chosen at the moment.',
  valuesConfig: {
    OPEN: { description: 'It may be chosen.' },
    NO_RATE: { description: 'There is no rate for it at the moment.' },
    NO_NODE: { description: 'Its network is not available at the moment.' },
    BELOW_MINIMUM: { description: 'What is due is less than its least amount.' },
    ABOVE_MAXIMUM: { description: 'What is due is more than its greatest amount.' },
  },
});
registerEnumType(RateStateEnum, {
  name: 'RateState',
  description: 'Where a rate is from.',
  valuesConfig: {
    FRESH: { description: 'From the market, now.' },
    HELD: { description: 'From the market some minutes ago, as it says too little now.' },
    FIXED: { description: 'Set by the merchant.' },
    NONE: { description: 'There is no rate at the moment.' },
  },
});
registerEnumType(LinkFieldEnum, {
  name: 'LinkField',
  description: 'What the form of a payment link asks its customer for.',
  valuesConfig: {
    EMAIL: { description: 'An e-mail address; it becomes the `customerEmail` of the invoice.' },
    NAME: { description: 'A name.' },
    PHONE: { description: 'A telephone number.' },
    ADDRESS: { description: 'A postal address.' },
    NOTE: { description: 'Anything else.' },
  },
});
registerEnumType(PaymentExceptionEnum, {
  name: 'PaymentException',
  description: 'What was out of the ordinary about a payment.',
  valuesConfig: {
    UNDERPAID: { description: 'It expired with less than is due.' },
    OVERPAID: { description: 'More than the amount arrived.' },
    PAID_LATE: { description: 'The full amount arrived after the expiry.' },
    UNCONFIRMED: { description: 'Its confirmations did not come within 24 hours.' },
    REORGED: { description: 'A confirmed transaction left the chain for good.' },
  },
});
registerEnumType(DepositStatusEnum, {
  name: 'TransactionStatus',
  description: "Where a payment's transaction stands.",
  valuesConfig: {
    PENDING: { description: 'Seen, not yet confirmed.' },
    CONFIRMED: { description: 'It has the required confirmations.' },
    ORPHANED: { description: 'It is not on the chain any more.' },
  },
});
registerEnumType(WebhookFormEnum, {
  name: 'WebhookForm',
  description: 'How webhooks are written and signed.',
  valuesConfig: {
    TURNPIKE: { description: 'As this API describes them.' },
    GREENFIELD: { description: 'As BTCPay Server writes them, with `BTCPay-Sig`; events of invoices alone.' },
  },
});
registerEnumType(DeliveryStatusEnum, {
  name: 'DeliveryStatus',
  description: 'Where a webhook delivery stands.',
  valuesConfig: {
    PENDING: { description: 'Not tried yet.' },
    RETRYING: { description: 'An attempt failed; the next is scheduled.' },
    SUCCESS: { description: 'The receiver answered 2xx.' },
    FAILED: { description: 'Given up after the last retry.' },
    DISABLED: { description: 'The receiver answered 410, or the endpoint was switched off.' },
  },
});
registerEnumType(CustomerMailEnum, {
  name: 'CustomerMail',
  description: 'A mail to customers.',
  valuesConfig: {
    RECEIPT: { description: 'The money has arrived: once for a payment or an invoice.' },
    UNDERPAID: { description: 'Two minutes after too little came: what is still due, or whom to write to.' },
    REFUND: { description: 'A refund was sent.' },
  },
});
registerEnumType(LatePaymentPolicyEnum, {
  name: 'LatePaymentPolicy',
  description: 'What becomes of a full amount that arrives late.',
  valuesConfig: {
    ACCEPT: { description: 'The payment succeeds, marked PAID_LATE.' },
    MANUAL: { description: 'The money is credited; the payment stays as it is until you accept it.' },
  },
});
