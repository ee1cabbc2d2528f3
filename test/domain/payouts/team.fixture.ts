// People at a merchant, and their calls on payouts, for the tests of policies and approvals.

import { addAddress } from '../../../src/domain/payouts/address-book.ts';
import { approvePayout, rejectPayout } from '../../../src/domain/payouts/approvals.ts';
import { updatePolicy } from '../../../src/domain/payouts/policy.ts';
import type { Deps } from '../../../src/domain/deps.ts';
import type { PersonActor } from '../../../src/domain/actor.ts';
import { newId } from '../../../src/values/id.ts';
import { permissionsOf, type Role } from '../../../src/values/member-permission.ts';
import type { RulesChange } from '../../../src/values/payouts/policy-change.ts';
import { START, type Setup } from '../book.fixture.ts';

/** Somebody at a merchant, and what they call. */
export interface Colleague extends PersonActor {
  readonly deps: Deps;
  approve(id: string): Promise<void>;
  reject(id: string, reason?: string): Promise<void>;
}

/** Adds a person to a merchant; approvers may approve from `approvesFrom` on, by default always. */
export async function addColleague(
  { sql }: Setup,
  deps: Deps,
  merchantId: string,
  role: Exclude<Role, 'CUSTOM'>,
  { approvesFrom = START }: { readonly approvesFrom?: Date } = {},
): Promise<Colleague> {
  const personId = newId('usr');
  const permissions = new Set(permissionsOf({ role, custom: null }));
  await sql(`insert into person (id, email, name, created_at) values ($1, $1, '', $2)`, [personId, START]);
  await sql(
    `insert into membership (merchant_id, person_id, role, approves_from, created_at) values ($1, $2, $3, $4, $5)`,
    [merchantId, personId, role, permissions.has('APPROVE_PAYOUTS') ? approvesFrom : null, START],
  );
  const actor = { merchantId, personId, keyId: null, ip: '127.0.0.1', requestId: 'request' };
  const own = { ...deps, actor };
  return {
    ...actor,
    deps: own,
    approve: (id) => approvePayout(own, actor, id),
    reject: (id, reason = 'no') => rejectPayout(own, actor, permissions, { id, reason }),
  };
}

/** Dependencies of a key that somebody made. */
export async function keyOf({ sql }: Setup, { deps, merchantId, personId }: Colleague): Promise<Deps> {
  const keyId = newId('ses').replace('ses', 'pk');
  await sql(
    `insert into api_key (key_id, merchant_id, secret_digest, name, permissions, ip_whitelist, created_at, created_by)
     values ($1, $2, $3, 'k', '{WITHDRAW}', '{}', $4, $5)`,
    [keyId, merchantId, Buffer.from(keyId), START, personId],
  );
  return { ...deps, actor: { merchantId, keyId, personId: null, ip: '127.0.0.1', requestId: 'request' } };
}

/** Changes the policy of a merchant without a hold, from whatever version it has. */
export async function setPolicy(setup: Setup, by: Colleague, change: RulesChange, payoutHoldMs = 0): Promise<void> {
  const [row] = await setup.sql<{ version: number }>('select version from payout_policy where merchant_id = $1', [
    by.merchantId,
  ]);
  await updatePolicy({ ...by.deps, payoutHoldMs }, by, { version: row?.version ?? 0, ...change });
}

/** Adds an address on ETH to the book, to be used after the hold. */
export const book = async (by: Colleague, address: string, payoutHoldMs = 0): Promise<string> =>
  (await addAddress({ ...by.deps, payoutHoldMs }, by, { network: 'ETH', address, label: 'Bank' }, null)).result.id;
