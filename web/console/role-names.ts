// What roles are called in the console.

import type { Role } from '../../src/values/member-permission.ts';

const NAMES: Readonly<Record<Role, string>> = {
  OWNER: 'owner',
  ADMIN: 'administrator',
  DEVELOPER: 'developer',
  ACCOUNTANT: 'accountant',
  SUPPORT: 'support',
  VIEWER: 'viewer',
  CUSTOM: 'member with a custom role',
};

export const nameOfRole = (role: Role): string => NAMES[role];
