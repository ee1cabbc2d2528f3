// An account under attack, without a hundred wrong passwords.

import { graphql } from './clients.ts';
import type { BorrowedGateway } from './gateway/borrowed.ts';

let attacks = 0;

/** One wrong password from an address of its own, which then counts as the hundredth of a day. */
export async function attack(gateway: Pick<BorrowedGateway, 'url' | 'sql'>, email: string): Promise<void> {
  attacks += 1;
  const document = 'mutation ($email: String!) { login(email: $email, password: "a guess") { expiresIn } }';
  const address = `100.64.${String(attacks >> 8)}.${String(attacks & 255)}`;
  await graphql(gateway)(document, { email }, { 'x-forwarded-for': address });
  await gateway.sql(
    `update sign_in_failure set failures = 100 where failures = 1 and counted_until > now() + interval '23 hours'`,
  );
}
