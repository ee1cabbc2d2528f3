// Operators for tests: somebody who is flagged, and signs in as one.

import { newId } from '../../src/values/id.ts';
import { graphql, newEmail, type Answer } from './clients.ts';
import type { BorrowedGateway } from './gateway/borrowed.ts';
import { confirm, PASSWORD, type SignedIn } from './people.ts';
import { hashPassword } from '../../src/access/passwords.ts';

type Where = Pick<BorrowedGateway, 'url' | 'sql'>;

const SIGN_IN = `mutation ($email: String!, $password: String!, $operator: Boolean) {
  signIn(email: $email, password: $password, operator: $operator) {
    token { accessToken expiresIn expiresAt permissions } challenge { id factors }
  }
}`;

/** Asks to sign in as an operator, with the password that tests use. */
export const askAsOperator = (
  { url }: Pick<Where, 'url'>,
  email: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> => graphql({ url })(SIGN_IN, { email, password: PASSWORD, operator: true }, headers);

/** Makes somebody who is no member of any merchant. */
export async function addPerson(
  { sql }: Pick<Where, 'sql'>,
  { isOperator = false }: { readonly isOperator?: boolean } = {},
): Promise<{ readonly id: string; readonly email: string }> {
  const [id, email] = [newId('usr'), newEmail().toLowerCase()];
  await sql(
    `insert into person (id, email, password_hash, name, is_operator, created_at) values ($1, $2, $3, 'Ada', $4, now())`,
    [id, email, await hashPassword(PASSWORD), isOperator],
  );
  return { id, email };
}

/** An operator who is signed in as one, and has confirmed that it is them. */
export async function newOperator(gateway: Where): Promise<SignedIn & { readonly id: string }> {
  const { id, email } = await addPerson(gateway, { isOperator: true });
  const { body } = await askAsOperator(gateway, email);
  const token = body.data.signIn.token.accessToken as string;
  const operator = { id, email, token, graphql: graphql(gateway, token) };
  await confirm(operator);
  return operator;
}
