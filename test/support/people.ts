// People for tests: they register or join a merchant, and sign in.

import { newId } from '../../src/values/id.ts';
import type { Role } from '../../src/values/member-permission.ts';
import { graphql, newEmail, rest, type GraphQL } from './clients.ts';
import { dataOf } from './expectations.ts';
import type { BorrowedGateway } from './gateway/borrowed.ts';

export const PASSWORD = 'correct horse battery';
const LOGIN = `mutation ($email: String!, $password: String!) {
  login(email: $email, password: $password) { accessToken permissions }
}`;

/** Somebody who is signed in, with a token that a header carries. */
export interface SignedIn {
  readonly email: string;
  readonly token: string;
  readonly graphql: GraphQL;
}

/** Signs somebody in with the password that tests use. */
export async function signIn(gateway: Pick<BorrowedGateway, 'url'>, email: string): Promise<SignedIn> {
  const { body } = await graphql(gateway)(LOGIN, { email, password: PASSWORD });
  const token = body.data.login.accessToken as string;
  return { email, token, graphql: graphql(gateway, token) };
}

/** Confirms a session with the password, as what changes people needs it. */
export async function confirm({ graphql: ask }: Pick<SignedIn, 'graphql'>): Promise<void> {
  const { body } = await ask('mutation ($password: String!) { confirmPassword(password: $password) }', {
    password: PASSWORD,
  });
  if (body.data?.confirmPassword !== true) throw new Error(`Not confirmed: ${JSON.stringify(body)}`);
}

/** Registers a merchant, and signs its owner in. */
export async function signUp(
  gateway: Pick<BorrowedGateway, 'url'>,
  { isConfirmed = false }: { readonly isConfirmed?: boolean } = {},
): Promise<SignedIn & { readonly merchantId: string }> {
  const email = newEmail();
  const company = { email, companyName: 'Shop', password: PASSWORD };
  const { merchantId } = dataOf(await rest(gateway)('POST', '/merchant/register', company), 201);
  const owner = await signIn(gateway, email);
  if (isConfirmed) await confirm(owner);
  return { ...owner, merchantId: merchantId as string };
}

/** A membership to make. */
export interface Joining {
  readonly merchantId: string;
  readonly role: Role;
  readonly roleId?: string | null;
  readonly joinedAt?: Date;
}

/** Adds a person to a merchant, with the password of the merchant's first owner. */
export async function join(
  { sql }: Pick<BorrowedGateway, 'sql'>,
  { merchantId, role, roleId = null, joinedAt = new Date() }: Joining,
): Promise<{ readonly id: string; readonly email: string }> {
  const [id, email] = [newId('usr'), newEmail().toLowerCase()];
  await sql(
    `insert into person (id, email, password_hash, name, last_merchant_id, created_at)
     select $1, $2, p.password_hash, '', $3, $4 from membership m join person p on p.id = m.person_id
     where m.merchant_id = $3 and m.role = 'OWNER' order by m.created_at limit 1`,
    [id, email, merchantId, joinedAt],
  );
  await sql(`insert into membership (merchant_id, person_id, role, role_id, created_at) values ($1, $2, $3, $4, $5)`, [
    merchantId,
    id,
    role,
    roleId,
    joinedAt,
  ]);
  return { id, email };
}
