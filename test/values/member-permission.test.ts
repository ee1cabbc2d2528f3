// Roles and what they give: the table of the contract, and that nobody gives or takes what they lack.

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  inMemberOrder,
  lackedFor,
  MEMBER_PERMISSIONS,
  permissionsOf,
  ROLES,
  type HeldRole,
} from '../../src/values/member-permission.ts';

const plain = (role: HeldRole['role']): HeldRole => ({ role, custom: null });

describe('roles', () => {
  it.each([
    ['OWNER', MEMBER_PERMISSIONS.join(' ')],
    [
      'ADMIN',
      'READ_PAYMENTS CREATE_PAYMENTS CANCEL_PAYMENTS READ_WALLET WITHDRAW MANAGE_WEBHOOKS READ_REPORTS ' +
        'MANAGE_SETTINGS APPROVE_PAYOUTS MANAGE_ADDRESSES MANAGE_KEYS MANAGE_PEOPLE READ_AUDIT ERASE_CUSTOMERS',
    ],
    ['DEVELOPER', 'READ_PAYMENTS CREATE_PAYMENTS CANCEL_PAYMENTS MANAGE_WEBHOOKS MANAGE_KEYS'],
    ['ACCOUNTANT', 'READ_PAYMENTS READ_WALLET WITHDRAW READ_REPORTS'],
    ['SUPPORT', 'READ_PAYMENTS CREATE_PAYMENTS CANCEL_PAYMENTS'],
    ['VIEWER', 'READ_PAYMENTS READ_WALLET READ_REPORTS'],
  ] as const)('%s has its permissions and no other', (role, permissions) => {
    expect(permissionsOf(plain(role)).join(' ')).toBe(permissions);
  });

  it('a custom role has those of its own, in their order, once each, and none that there is not', () => {
    const custom = ['READ_AUDIT', 'WITHDRAW', 'READ_AUDIT', 'EVERYTHING'];
    expect(permissionsOf({ role: 'CUSTOM', custom })).toEqual(['WITHDRAW', 'READ_AUDIT']);
    expect(permissionsOf({ role: 'CUSTOM', custom: null })).toEqual([]);
  });
});

const anyRole: fc.Arbitrary<HeldRole> = fc
  .record({ role: fc.constantFrom(...ROLES), some: fc.subarray([...MEMBER_PERMISSIONS]) })
  .map(({ role, some }) => ({ role, custom: role === 'CUSTOM' ? some : null }));

describe('somebody who changes a role', () => {
  it('owners touch everybody, and only owners touch owners', () => {
    for (const role of ROLES) expect(lackedFor(plain('OWNER'), plain(role))).toBeNull();
    expect(lackedFor(plain('ADMIN'), plain('OWNER'))).toBe('OWNER');
    expect(lackedFor({ role: 'CUSTOM', custom: MEMBER_PERMISSIONS }, plain('OWNER'))).toBe('OWNER');
  });

  it('lacks nothing exactly if they have all of it themselves, and otherwise hears of what they lack', () => {
    fc.assert(
      fc.property(anyRole, anyRole, (own, touched) => {
        const [has, gives] = [new Set<string>(permissionsOf(own)), permissionsOf(touched)];
        const lacked = lackedFor(own, touched);
        const isCovered = gives.every((permission) => has.has(permission));
        if (own.role === 'OWNER') expect(lacked).toBeNull();
        else if (touched.role === 'OWNER') expect(lacked).toBe('OWNER');
        else expect(lacked === null).toBe(isCovered);
        if (lacked !== null && lacked !== 'OWNER')
          expect([gives.includes(lacked), has.has(lacked)]).toEqual([true, false]);
      }),
    );
  });

  it('gains nothing by any number of steps that are allowed to them', () => {
    fc.assert(
      fc.property(anyRole, fc.array(anyRole, { maxLength: 8 }), (own, wanted) => {
        fc.pre(own.role !== 'OWNER');
        const atFirst = new Set<string>(permissionsOf(own));
        // Somebody who may change roles gives themselves one after the other.
        let held = own;
        for (const next of wanted) if (lackedFor(held, next) === null && lackedFor(held, held) === null) held = next;
        expect(held.role).not.toBe('OWNER');
        expect(permissionsOf(held).filter((permission) => !atFirst.has(permission))).toEqual([]);
      }),
    );
  });

  it('an order is kept', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray([...MEMBER_PERMISSIONS]), (names) => {
        expect(inMemberOrder(names)).toEqual(MEMBER_PERMISSIONS.filter((one) => names.includes(one)));
      }),
    );
  });
});
