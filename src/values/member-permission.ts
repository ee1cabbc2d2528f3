// What a member of a merchant may do, and the roles that give it (contract-people-payouts, section A). API keys hold
// the eight permissions of the specification and never any other.

import { PERMISSIONS } from './permission.ts';

export const MEMBER_PERMISSIONS = [
  ...PERMISSIONS,
  'APPROVE_PAYOUTS',
  'MANAGE_ADDRESSES',
  'MANAGE_POLICY',
  'MANAGE_KEYS',
  'MANAGE_PEOPLE',
  'READ_AUDIT',
  'ERASE_CUSTOMERS',
] as const;

/** A permission of a person; the first eight are those of keys as well. */
export type MemberPermission = (typeof MEMBER_PERMISSIONS)[number];

export const ROLES = ['OWNER', 'ADMIN', 'DEVELOPER', 'ACCOUNTANT', 'SUPPORT', 'VIEWER', 'CUSTOM'] as const;
export type Role = (typeof ROLES)[number];

const GIVEN: Readonly<Record<Exclude<Role, 'CUSTOM'>, readonly MemberPermission[]>> = {
  OWNER: MEMBER_PERMISSIONS,
  ADMIN: MEMBER_PERMISSIONS.filter((permission) => permission !== 'MANAGE_POLICY'),
  DEVELOPER: ['READ_PAYMENTS', 'CREATE_PAYMENTS', 'CANCEL_PAYMENTS', 'MANAGE_WEBHOOKS', 'MANAGE_KEYS'],
  ACCOUNTANT: ['READ_PAYMENTS', 'READ_WALLET', 'WITHDRAW', 'READ_REPORTS'],
  SUPPORT: ['READ_PAYMENTS', 'CREATE_PAYMENTS', 'CANCEL_PAYMENTS'],
  VIEWER: ['READ_PAYMENTS', 'READ_WALLET', 'READ_REPORTS'],
};

/** A merchant's own role, for members whose role is CUSTOM. */
export interface CustomRole {
  /** `rol_…`. */
  readonly id: string;
  readonly name: string;
  readonly permissions: readonly MemberPermission[];
}

/** The role of a membership; `custom` holds the permissions of its custom role, and is null for every other. */
export interface HeldRole {
  readonly role: Role;
  readonly custom: readonly string[] | null;
}

/** What a role gives, in a fixed order. */
export function permissionsOf({ role, custom }: HeldRole): readonly MemberPermission[] {
  return role === 'CUSTOM' ? inMemberOrder(custom ?? []) : GIVEN[role];
}

/** Sorts permissions into their fixed order, and removes repeats and unknown names. */
export function inMemberOrder(names: Iterable<string>): MemberPermission[] {
  const held = new Set(names);
  return MEMBER_PERMISSIONS.filter((permission) => held.has(permission));
}

/**
 * What somebody lacks in order to grant, change or remove a role: the first of its permissions that they do not have,
 * or `OWNER`, which only an owner may touch; null if they lack nothing.
 */
export function lackedFor(own: HeldRole, touched: HeldRole): MemberPermission | 'OWNER' | null {
  if (own.role === 'OWNER') return null;
  if (touched.role === 'OWNER') return 'OWNER';
  const held = new Set(permissionsOf(own));
  return permissionsOf(touched).find((permission) => !held.has(permission)) ?? null;
}
