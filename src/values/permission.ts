// The eight permissions of an API key, in the specification's order (section 5).

export const PERMISSIONS = [
  'READ_PAYMENTS',
  'CREATE_PAYMENTS',
  'CANCEL_PAYMENTS',
  'READ_WALLET',
  'WITHDRAW',
  'MANAGE_WEBHOOKS',
  'READ_REPORTS',
  'MANAGE_SETTINGS',
] as const;

export type Permission = (typeof PERMISSIONS)[number];

/** Sorts permissions into the specification's order and removes repeats. */
export function inOrder(names: Iterable<string>): Permission[] {
  const held = new Set(names);
  return PERMISSIONS.filter((permission) => held.has(permission));
}
