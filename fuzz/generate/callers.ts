// Who a request claims to be from: valid and invalid credentials.

import fc from 'fast-check';
import { confirmedBearer, type Preparer, type Shop } from '../state/merchants.ts';

/** Who is calling. Only `full`, or `owner` for some operations, may do what an operation needs, unless it is public. */
export type Access =
  'full' | 'owner' | 'narrow' | 'foreign' | 'secret' | 'none' | 'tampered' | 'unsigned' | 'nonsense' | 'basic';

/** Operations that only a person may call, and with all permissions only the owner. */
export const OWNER_ONLY = new Set([
  'logout',
  'sessions',
  'endSession',
  'changePassword',
  'confirmPassword',
  'auditLog',
  ...['endOtherSessions', 'me', 'updateProfile', 'switchMerchant', 'addMerchant'],
  ...['members', 'changeMember', 'removeMember', 'customRoles', 'createRole', 'updateRole', 'deleteRole'],
  ...['startConfirmation', 'confirm', 'startTotp', 'finishTotp', 'startPasskey', 'finishPasskey', 'removeFactor'],
  ...['newRecoveryCodes', 'changeEmail', 'startOidc', 'removeIdentity'],
  ...['invitations', 'inviteMember', 'revokeInvitation'],
  ...['addPayoutAddress', 'removePayoutAddress', 'updatePayoutPolicy', 'cancelPolicyChange'],
  ...['payoutsAwaitingApproval', 'approvePayout', 'rejectPayout', 'saveSettlementRule', 'deleteSettlementRule'],
  'eraseCustomer',
]);

export const wrongAccess: fc.Arbitrary<Access> = fc.constantFrom(
  ...(['narrow', 'foreign', 'none', 'tampered', 'unsigned', 'nonsense', 'basic', 'secret'] as const),
);

interface Callers {
  readonly preparer: Preparer;
  readonly shop: Shop;
  readonly other: Shop;
}

/** The Authorization header; null if there is none. */
export async function authorizationOf(access: Access, { preparer, shop, other }: Callers): Promise<string | null> {
  const bearer = (token: string) => `Bearer ${token}`;
  switch (access) {
    case 'full':
      return bearer(shop.token);
    case 'owner':
      return bearer(await confirmedBearer(preparer, shop));
    case 'narrow':
      return bearer(shop.narrowToken);
    case 'foreign':
      return bearer(other.token);
    case 'secret':
      return bearer(shop.secret);
    case 'none':
      return null;
    case 'tampered':
      return bearer(shop.token.replace(/\.(.)/, (_, first: string) => `.${first === 'e' ? 'f' : 'e'}`));
    case 'unsigned':
      return bearer(`eyJhbGciOiJub25lIn0.${shop.token.split('.')[1] ?? ''}.`);
    case 'nonsense':
      return 'Bearer __proto__';
    case 'basic':
      return `Basic ${Buffer.from(`${shop.keyId}:${shop.secret}`).toString('base64')}`;
  }
}
