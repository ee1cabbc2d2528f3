// What signing in consists of: the check of a password, and a token for a session that is new or goes on elsewhere.

import { hashPassword, verifyPassword } from '../../access/passwords.ts';
import { issueToken } from '../../access/tokens.ts';
import { findByEmail, type Credentials } from '../../domain/people/passwords.ts';
import { permissionsAt } from '../../domain/people/person.ts';
import { openSession, switchMerchant, type PersonActor } from '../../domain/people/sessions.ts';
import { isStorable } from '../../values/checks.ts';
import { inOrder } from '../../values/permission.ts';
import type { Context } from '../operation/context.ts';
import type { Services } from '../services.ts';
import type { AccessToken } from '../types/account.ts';

/** Checks an e-mail address and a password. Throws 1005 for any that do not match, 9001 after too many. */
export type PasswordCheck = (email: string, password: string, ip: string) => Promise<Credentials>;

/** Makes the check of this process. An unknown address costs the same work as a wrong password. */
export function createPasswordCheck({ deps, attempts }: Pick<Services, 'deps' | 'attempts'>): PasswordCheck {
  let decoyHash: Promise<string> | null = null;
  const find = async (email: string, password: string): Promise<Credentials | null> => {
    const found = isStorable(email) ? await findByEmail(deps, email) : null;
    // Computed at the first sign-in, whether the account exists or not, so its time reveals nothing.
    const decoy = await (decoyHash ??= hashPassword('whatever it is'));
    const isRight = await verifyPassword(found?.passwordHash ?? decoy, password);
    return found !== null && found.passwordHash !== null && isRight ? found : null;
  };
  return (email, password, ip) => attempts.attempt({ email, ip }, () => find(email, password));
}

/** Opens a session of a person at a merchant, with its token. */
export async function startSession(services: Services, context: Context, actor: PersonActor): Promise<AccessToken> {
  const { deps, tokenTtlSeconds: ttlSeconds } = services;
  const sessionId = await openSession(deps, actor, { ttlSeconds, byCookie: context.cookie !== undefined });
  return tokenOf(services, context, { ...actor, sessionId }, ttlSeconds);
}

/** Goes on in a session at another of the person's merchants. Errors: 2004. */
export async function goOnAt(
  services: Services,
  context: Context,
  actor: PersonActor & { readonly sessionId: string },
  merchantId: string,
): Promise<AccessToken> {
  const expiresAt = await switchMerchant(services.deps, actor, actor.sessionId, merchantId);
  const ttlSeconds = Math.floor((expiresAt.getTime() - services.deps.clock.now().getTime()) / 1_000);
  return tokenOf(services, context, { ...actor, merchantId }, ttlSeconds);
}

async function tokenOf(
  { deps }: Services,
  context: Context,
  { merchantId, personId, sessionId }: PersonActor & { readonly sessionId: string },
  ttlSeconds: number,
): Promise<AccessToken> {
  const permissions = inOrder(await permissionsAt(deps, personId, merchantId));
  const claims = { merchantId, keyId: null, sessionId, permissions };
  const token = await issueToken({ ...deps, ttlSeconds }, claims, deps.clock.now());
  context.cookie?.keep(token);
  return { ...token, accessToken: context.cookie ? '' : token.accessToken } as AccessToken;
}
