// The choice of a role: those that the person who chooses may give, with what each means.

import { useState, type ReactNode } from 'react';
import { lackedFor, type Role } from '../../../../src/values/member-permission.ts';
import type { CustomRoleRowFragment } from '../../generated/operations.ts';
import { Select } from '../../components/forms/select.tsx';
import { nameOfRole } from '../../role-names.ts';
import { useSession } from '../../session.ts';

const MEANINGS: Readonly<Record<Exclude<Role, 'CUSTOM'>, string>> = {
  OWNER: 'Everything. Only owners change owners.',
  ADMIN: 'Everything except the payout policy.',
  DEVELOPER: 'Payments, webhooks and API keys.',
  ACCOUNTANT: 'View payments and balances; withdrawals, refunds and reports.',
  SUPPORT: 'View, create and cancel payments.',
  VIEWER: 'View payments, balances and reports.',
};
const ROLES = Object.keys(MEANINGS) as (keyof typeof MEANINGS)[];

/** A role as a form's value: one of the six, or the id of a custom role. */
export const valueOfRole = (role: Role, roleId: string | undefined): string => roleId ?? role;

/** The input for the role that a form's value names. */
export const roleIn = (value: string): { role: Role; roleId?: string } =>
  value in MEANINGS ? { role: value as Role } : { role: 'CUSTOM', roleId: value };

interface RoleChoiceProps {
  readonly customRoles: readonly CustomRoleRowFragment[];
  readonly defaultValue?: string;
}

export function RoleChoice({ customRoles, defaultValue = 'VIEWER' }: RoleChoiceProps): ReactNode {
  const { role: own } = useSession();
  const [chosen, setChosen] = useState(defaultValue);
  const given = [
    ...ROLES.filter((role) => lackedFor(own, { role, custom: null }) === null).map(
      (role) => [role, capital(nameOfRole(role))] as const,
    ),
    ...customRoles
      .filter(({ permissions }) => lackedFor(own, { role: 'CUSTOM', custom: permissions }) === null)
      .map(({ id, name }) => [id, name] as const),
  ];
  const hint = (MEANINGS as Readonly<Record<string, string>>)[chosen] ?? 'A custom role.';
  return (
    <Select label="Role" name="role" options={given} defaultValue={defaultValue} hint={hint} onChange={setChosen} />
  );
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
