// Second factors for tests: an authenticator app, and how somebody sets it up.

import { Secret, TOTP } from 'otpauth';
import type { GraphQL } from './clients.ts';
import type { BorrowedGateway } from './gateway/borrowed.ts';

/** An authenticator app with a secret in base32. */
export interface App {
  readonly secret: string;
  /** The code of now, or of so many steps of 30 seconds from now. */
  code(steps?: number): string;
}

/** Makes the app of a secret. */
export function openApp(secret: string): App {
  const totp = new TOTP({ secret: Secret.fromBase32(secret), algorithm: 'SHA1', digits: 6, period: 30 });
  return { secret, code: (steps = 0) => totp.generate({ timestamp: Date.now() + steps * 30_000 }) };
}

const START = 'mutation { startTotp { id secret uri } }';
const FINISH = `mutation ($id: ID!, $code: String!, $label: String!) {
  finishTotp(id: $id, code: $code, label: $label) { id kind label lastUsedAt }
}`;

/** Sets up an authenticator app in a session that is confirmed. */
export async function setUpTotp({
  graphql: ask,
}: {
  readonly graphql: GraphQL;
}): Promise<App & { readonly id: string }> {
  const { id, secret } = (await ask(START)).body.data.startTotp;
  const app = openApp(secret as string);
  const { body } = await ask(FINISH, { id, code: app.code(), label: 'Phone' });
  if (body.data === null) throw new Error(`Not set up: ${JSON.stringify(body)}`);
  return { ...app, id: body.data.finishTotp.id as string };
}

/** Lets the codes of an app be good again, as they are half a minute later. */
export async function letTimePass(
  { sql }: Pick<BorrowedGateway, 'sql'>,
  { id }: { readonly id: string },
): Promise<void> {
  await sql('update factor set last_step = 0 where id = $1', [id]);
}
