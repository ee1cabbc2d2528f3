// What permissions are called in the console, in the order of the specification; keys have the first eight at most.

import type { MemberPermission, Permission } from './generated/operations.ts';

/** What a key may be given. */
export const KEY_PERMISSIONS: readonly (readonly [value: Permission, words: string])[] = [
  ['READ_PAYMENTS', 'See payments'],
  ['CREATE_PAYMENTS', 'Create payments'],
  ['CANCEL_PAYMENTS', 'Cancel payments'],
  ['READ_WALLET', 'See balances'],
  ['WITHDRAW', 'Withdraw and refund money'],
  ['MANAGE_WEBHOOKS', 'Manage webhooks'],
  ['READ_REPORTS', 'See reports and logs'],
  ['MANAGE_SETTINGS', 'Change settings'],
];

/** What a member may be given. */
export const MEMBER_PERMISSIONS: readonly (readonly [value: MemberPermission, words: string])[] = [
  ...KEY_PERMISSIONS,
  ['APPROVE_PAYOUTS', 'Approve payouts'],
  ['MANAGE_ADDRESSES', 'Manage the address book'],
  ['MANAGE_POLICY', 'Change the payout policy'],
  ['MANAGE_KEYS', 'Manage API keys'],
  ['MANAGE_PEOPLE', 'Manage people'],
  ['READ_AUDIT', 'See the audit log'],
  ['ERASE_CUSTOMERS', 'Erase customer data'],
];
