// What signing in consists of: the check of a password, and a token for a session that is new or goes on elsewhere.

import { hashPassword, verifyPassword } from '../../access/passwords.ts';
import { checkOperatorAddress, operatorToken } from '../../access/operators.ts';
import { issueToken } from '../../access/tokens.ts';
import type { PersonActor } from '../../domain/actor.ts';
import { askForFactor } from '../../domain/factors/answers.ts';
import { askForMailedCode, type SuspectSignIn } from '../../domain/factors/mailed-codes.ts';
import { openOperatorSession } from '../../domain/operator/sessions.ts';
import { digestOfDevice, newDeviceSecret, type Device } from '../../domain/people/devices.ts';
import { refuseElsewhere } from '../../domain/cell-directory.ts';
import { findByEmail, readCredentials, type Credentials } from '../../domain/people/passwords.ts';
import type { Attempt } from '../../domain/merchants/sign-in-attempts.ts';
import { homeOf, permissionsAt } from '../../domain/people/person.ts';
import { openSession, switchMerchant } from '../../domain/people/sessions.ts';
import type { FactorKind } from '../../entities/enums.ts';
import { isStorable } from '../../values/checks.ts';
import { GatewayError, invalid } from '../../values/errors.ts';
import { inOrder } from '../../values/permission.ts';
import { selfOf, type Context } from '../operation/context.ts';
import { answerDeps, type Services } from '../services.ts';
import type { AccessToken } from '../types/account.ts';
import type { SignIn } from '../types/factors.ts';

/** What somebody signs in with, and from where. */
export interface SigningIn extends Attempt {
  readonly password: string;
}

/** From where an attempt is made by a call: its address, and its browser. */
export function placeOf({ ip, cookie }: Context): Pick<Attempt, 'ip' | 'device'> {
  const shown = cookie?.device ?? null;
  return { ip, device: shown === null ? null : digestOfDevice(shown) };
}

/** How a password is checked that is not the whole sign-in. */
export interface CheckOptions {
  /** Whether those with a second factor are asked for it afterwards: until then the attempt counts as wrong. */
  readonly asksLater?: boolean;
  /** Asks for more before the attempt counts as right. */
  readonly andThen?: (found: Credentials) => Promise<void>;
}

/**
 * A password that was checked. Of an attempt that is suspect nobody may learn whether it was right: `found` is null if
 * it was wrong, and a mailed code has to be shown as well.
 */
export type Checked =
  | { readonly isSuspect: false; readonly found: Credentials }
  | { readonly isSuspect: true; readonly found: Credentials | null };

/**
 * Checks an e-mail address and a password. Throws 1005 for any that do not match, 9001 after too many, and 9421 for an
 * address that would be in another cell.
 */
export type PasswordCheck = (who: SigningIn, options?: CheckOptions) => Promise<Checked>;

/** Whose password was right; throws 1009 where a mailed code is needed, right or not. */
export function foundBy({ isSuspect, found }: Checked): Credentials {
  if (isSuspect || found === null) throw new GatewayError('SECOND_FACTOR_NEEDED');
  return found;
}

/** Makes the check of this process. An unknown address costs the same work as a wrong password. */
export function createPasswordCheck({ deps, attempts }: Pick<Services, 'deps' | 'attempts'>): PasswordCheck {
  let decoyHash: Promise<string> | null = null;
  const find = async ({ email, password }: SigningIn): Promise<Credentials | null> => {
    // Asked for everybody, and while the password is checked, so that its time tells no more than the answer does.
    const elsewhere = isStorable(email) ? (deps.directory?.elsewhere(email) ?? null) : null;
    const found = isStorable(email) ? await findByEmail(deps, email) : null;
    // Computed at the first sign-in, whether the account exists or not, so its time reveals nothing.
    const decoy = await (decoyHash ??= hashPassword('whatever it is'));
    const isRight = await verifyPassword(found?.passwordHash ?? decoy, password);
    if (found === null) refuseElsewhere(await elsewhere);
    return found !== null && found.passwordHash !== null && isRight ? found : null;
  };
  return (who, { asksLater = false, andThen } = {}) => {
    const verify = async (isSuspect: boolean): Promise<Checked | null> => {
      const found = await find(who);
      if (isSuspect) return { isSuspect, found };
      if (found) await andThen?.(found);
      return found && { isSuspect, found };
    };
    const isFirst = ({ isSuspect, found }: Checked) => isSuspect || (asksLater && found.hasSecondFactor);
    return attempts.attempt(who, verify, { isFirst });
  };
}

/** Somebody who has taken the first step of a sign-in, or says so. */
type SigningOn = Pick<SuspectSignIn, 'email' | 'forOperator'>;

/** Goes on after the first step, a password or an identity: with a token, or with what is asked for next. */
export async function goOnAfter(
  services: Services,
  context: Context,
  { email, forOperator }: SigningOn,
  { isSuspect, found }: Checked,
): Promise<SignIn> {
  const { deps } = services;
  if (isSuspect || found === null) {
    const mailed = await askForMailedCode(deps, { email, forOperator, personId: found?.personId ?? null });
    return { token: null, challenge: { ...mailed, factors: ['MAIL_CODE'], passkey: null } };
  }
  const { personId, hasSecondFactor } = found;
  if (!hasSecondFactor) {
    const start = forOperator ? startAsOperator : startAtHome;
    return { token: await start(services, context, personId, []), challenge: null };
  }
  const asked = { purpose: 'SIGN_IN', personId, sessionId: null, forOperator } as const;
  return { token: null, challenge: await askForFactor(answerDeps(services), asked) };
}

/** The path at which a browser goes to the provider of identities for what a challenge is for. */
export const startPathOf = (challengeId: string): string => `/auth/oidc/start?challenge=${challengeId}`;

/** Throws 1005 if it is not the password of the person who acts, 9001 after too many wrong ones. */
export async function verifyOwnPassword(services: Services, context: Context, password: string): Promise<Credentials> {
  const { personId, sessionId } = selfOf(context);
  const own = await readCredentials(services.deps, personId);
  const { email, passwordHash } = own;
  const verify = async () => (passwordHash !== null && (await verifyPassword(passwordHash, password))) || null;
  await services.attempts.attempt({ email, ip: context.ip, own: sessionId }, verify);
  return own;
}

/** Which session somebody wants to open: at their merchant, or as an operator. */
type Kind = 'MERCHANT' | 'OPERATOR';

/**
 * Throws for a sign-in that the request does not fit: 2001 if its page keeps sessions of the other kind, 1003 if
 * operators do not sign in from its address.
 */
export function refuseUnfit({ operators }: Services, { cookie, ip }: Context, kind: Kind): void {
  const isOperators = kind === 'OPERATOR';
  if (cookie && cookie.isOperators !== isOperators)
    throw invalid([{ path: 'operator', message: "must be true just where Turnpike-Session is 'operator'" }]);
  if (isOperators) checkOperatorAddress(operators.addresses, ip);
}

/** Opens an operator's session. Errors: 1003, 1004 for anybody else, 2001. */
export async function startAsOperator(
  services: Services,
  context: Context,
  personId: string,
  factors: readonly FactorKind[],
): Promise<AccessToken> {
  refuseUnfit(services, context, 'OPERATOR');
  const { ip, requestId, userAgent, cookie } = context;
  const browser = browserOf(context);
  const opening = { byCookie: cookie !== undefined, userAgent, factors, device: browser?.device ?? null };
  const opened = await openOperatorSession(services.deps, { personId, ip, requestId }, opening);
  const { id, expiresAt, ttlSeconds } = opened;
  const accessToken = operatorToken(services.deps.secrets, id);
  cookie?.keep({ accessToken, expiresIn: ttlSeconds });
  browser?.keep(opened.isKnown);
  const shown = cookie ? '' : accessToken;
  return { accessToken: shown, tokenType: 'Bearer', expiresIn: ttlSeconds, expiresAt, permissions: [] };
}

/** Opens a session at the merchant that a person used last. Errors: 1004 for somebody without a merchant. */
export async function startAtHome(
  services: Services,
  context: Context,
  personId: string,
  factors: readonly FactorKind[],
): Promise<AccessToken> {
  const merchantId = await homeOf(services.deps, personId);
  if (merchantId === null)
    throw new GatewayError('MISSING_PERMISSION', { message: 'You do not belong to any merchant any more' });
  const { ip, requestId } = context;
  return await startSession(services, context, { merchantId, keyId: null, personId, ip, requestId }, { factors });
}

/** What is known of a sign-in when its session is opened. */
export interface SignInDone {
  readonly factors?: readonly FactorKind[];
  /** Whether the person has just been made. */
  readonly isFirst?: boolean;
}

/** Opens a session of a person at a merchant, with its token. The browser is known from then on. */
export async function startSession(
  services: Services,
  context: Context,
  actor: PersonActor,
  { factors = [], isFirst = false }: SignInDone = {},
): Promise<AccessToken> {
  refuseUnfit(services, context, 'MERCHANT');
  const { deps, tokenTtlSeconds: ttlSeconds } = services;
  const byCookie = context.cookie !== undefined;
  const { userAgent } = context;
  const browser = browserOf(context);
  const device = browser?.device ?? null;
  const opened = await openSession(deps, actor, { ttlSeconds, byCookie, userAgent, factors, device, isFirst });
  const token = await tokenOf(services, context, { ...actor, sessionId: opened.id }, ttlSeconds);
  browser?.keep(opened.isKnown);
  return token;
}

/** The browser of a call that has cookies. */
export interface Browser {
  readonly device: Device;
  /** Has it keep the secret by which it is known: the one that it showed, or else the next one. */
  keep(isKnown: boolean): void;
}

/** The browser of a call; null for a client that keeps no cookies, and for sockets. */
export function browserOf({ cookie }: Context): Browser | null {
  const keep = cookie?.keepDevice;
  if (keep === undefined) return null;
  const [shown, next] = [cookie?.device ?? null, newDeviceSecret()];
  return {
    device: { shown: shown === null ? null : digestOfDevice(shown), next: digestOfDevice(next) },
    keep: (isKnown) => keep(isKnown && shown !== null ? shown : next),
  };
}

/** Goes on in a session at another of the person's merchants. Errors: 2004. */
export async function goOnAt(
  services: Services,
  context: Context,
  actor: PersonActor & { readonly sessionId: string },
  merchantId: string,
): Promise<AccessToken> {
  refuseUnfit(services, context, 'MERCHANT');
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
