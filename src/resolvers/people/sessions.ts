// GraphQL operations of people: sign-in and sign-out, sessions, the password, and the audit log of their merchant.

import { Arg, Args, ArgsType, Ctx, Field, ID, Int, Mutation, ObjectType, Query, Resolver } from 'type-graphql';
import { GraphQLJSONObject } from 'graphql-scalars';
import { hashPassword, verifyPassword } from '../../access/passwords.ts';
import { findAuditEntries, type AuditAction } from '../../domain/merchants/audit-log.ts';
import * as passwords from '../../domain/people/passwords.ts';
import { homeOf } from '../../domain/people/person.ts';
import * as sessions from '../../domain/people/sessions.ts';
import { GatewayError, invalid } from '../../values/errors.ts';
import { passwordIn } from '../../values/checks.ts';
import { callerOf, Needs, NeedsPerson, personOf, Throttled, type Context } from '../operation/context.ts';
import { openPage, toConnection } from '../pagination.ts';
import type { Services } from '../services.ts';
import { AccessToken } from '../types/account.ts';
import { PageArgs, PageInfo } from '../types/page.ts';
import { createPasswordCheck, startSession, type PasswordCheck } from './sign-in.ts';
import { AnyText } from '../operation/validation.ts';

@ObjectType({ description: 'One of your sessions that are open.', simpleResolvers: true })
export class OwnerSession {
  @Field(() => ID, { description: 'The session id, `ses_…`.' })
  declare id: string;

  @Field(() => Date, { description: 'When they signed in.' })
  declare createdAt: Date;

  @Field(() => Date, { description: 'When it ends by itself.' })
  declare expiresAt: Date;

  @Field(() => String, { description: 'Where they signed in from.' })
  declare ip: string;

  @Field(() => Boolean, { description: 'Whether it is the one that asks.' })
  declare isCurrent: boolean;
}

@ObjectType({ description: 'Something that was changed: by whom, from where.', simpleResolvers: true })
export class AuditLogEntry {
  @Field(() => ID, { description: 'Its id.' })
  declare id: string;

  @Field(() => Date, { description: 'When.' })
  declare at: Date;

  @Field(() => String, {
    description: "Who: an API key's id, a person's id, `system` or `operator`; in old rows `owner`.",
  })
  declare actor: string;

  @Field(() => String, { description: 'The address it came from.' })
  declare ip: string;

  @Field(() => String, { description: 'The `X-Request-Id` of the call.' })
  declare requestId: string;

  @Field(() => String, { description: 'What was done, such as `API_KEY_CREATED`.' })
  declare action: AuditAction;

  @Field(() => String, { nullable: true, description: 'The id of what was changed.' })
  declare target: string | null;

  @Field(() => GraphQLJSONObject, { description: 'The change in plain values; never a secret.' })
  declare details: Readonly<Record<string, unknown>>;
}

@ObjectType({ description: 'A row of the audit log in a list.', simpleResolvers: true })
export class AuditLogEdge {
  @Field(() => String, { description: 'Its cursor: the list goes on after it.' })
  declare cursor: string;

  @Field(() => AuditLogEntry, { description: 'The row.' })
  declare node: AuditLogEntry;
}

@ObjectType({ description: 'A page of the audit log, newest first.', simpleResolvers: true })
export class AuditLogConnection {
  @Field(() => [AuditLogEdge], { description: 'The rows with their cursors.' })
  declare edges: AuditLogEdge[];

  @Field(() => [AuditLogEntry], { description: 'The rows.' })
  declare nodes: AuditLogEntry[];

  @Field(() => PageInfo, { description: 'Where this page stands.' })
  declare pageInfo: PageInfo;
}

/** An e-mail address and a password. Anything that matches nobody is wrong (1005), whatever its format. */
@ArgsType()
export class LoginArgs {
  @Field(() => String, { description: 'The account e-mail address.' })
  @AnyText()
  declare email: string;

  @Field(() => String, { description: 'The password.' })
  @AnyText()
  declare password: string;
}

@Resolver()
export class SessionResolver {
  private readonly check: PasswordCheck;

  constructor(private readonly services: Services) {
    this.check = createPasswordCheck(services);
  }

  @Throttled()
  @Mutation(() => AccessToken, {
    description:
      'Signs a person in, at the merchant that they used last: a token with the permissions of their role there, which belongs to a session and to no key. With `Turnpike-Session: cookie` it is kept in a cookie that scripts cannot read, and `accessToken` is empty.',
  })
  async login(@Args(() => LoginArgs) { email, password }: LoginArgs, @Ctx() context: Context): Promise<AccessToken> {
    const { personId } = await this.check(email, password, context.ip);
    const merchantId = await homeOf(this.services.deps, personId);
    if (merchantId === null)
      throw new GatewayError('MISSING_PERMISSION', { message: 'You do not belong to any merchant any more' });
    const { ip, requestId } = context;
    return await startSession(this.services, context, { merchantId, keyId: null, personId, ip, requestId });
  }

  /** Throws 1005 if it is not the person's password, and 9001 after too many wrong ones. */
  private async verify(context: Context, password: string): Promise<void> {
    const { personId } = personOf(context);
    const { email, passwordHash } = await passwords.readCredentials(this.services.deps, personId);
    const verify = async () => (passwordHash !== null && (await verifyPassword(passwordHash, password))) || null;
    await this.services.attempts.attempt({ email, ip: context.ip }, verify);
  }

  @NeedsPerson()
  @Mutation(() => Boolean, { description: 'Signs you out: this session ends, with its tokens and sockets.' })
  async logout(@Ctx() context: Context): Promise<boolean> {
    const actor = personOf(context);
    await sessions.endSession(this.services.deps, actor, actor.sessionId, true);
    context.cookie?.drop();
    return true;
  }

  @NeedsPerson()
  @Query(() => [OwnerSession], { description: 'Your open sessions at all your merchants, newest first.' })
  async sessions(@Ctx() context: Context): Promise<OwnerSession[]> {
    const { personId, sessionId } = personOf(context);
    const open = await sessions.listSessions(this.services.deps, personId);
    return open.map((session) => ({ ...session, isCurrent: session.id === sessionId }));
  }

  @NeedsPerson()
  @Mutation(() => Boolean, { description: 'Ends one of your sessions.' })
  async endSession(
    @Arg('id', () => ID, { description: 'The session id.' }) id: string,
    @Ctx() context: Context,
  ): Promise<boolean> {
    const actor = personOf(context);
    await sessions.endSession(this.services.deps, actor, id, id === actor.sessionId);
    return true;
  }

  @NeedsPerson()
  @Mutation(() => Int, { description: 'Ends all your sessions but this one; answers how many.' })
  async endOtherSessions(@Ctx() context: Context): Promise<number> {
    const actor = personOf(context);
    return await sessions.endOtherSessions(this.services.deps, actor, actor.sessionId);
  }

  @NeedsPerson()
  @Mutation(() => Boolean, { description: 'Changes your password, and ends all your other sessions.' })
  async changePassword(
    @Arg('current', () => String, { description: 'The present password.' }) current: string,
    @Arg('password', () => String, { description: 'The new one: 8 to 128 characters.' }) password: string,
    @Ctx() context: Context,
  ): Promise<boolean> {
    const { deps } = this.services;
    await context.throttle();
    const refusal = passwordIn(deps.environment)(password);
    if (refusal !== null) throw invalid([{ path: 'password', message: refusal }]);
    await this.verify(context, current);
    const actor = personOf(context);
    await passwords.changePassword(
      { ...deps, sendsMail: this.services.mail !== null },
      actor,
      await hashPassword(password),
      actor.sessionId,
    );
    return true;
  }

  @NeedsPerson()
  @Mutation(() => Boolean, {
    description:
      'Shows for the next five minutes that it is you who sits there: in a session of the console, what moves money, keys or webhooks needs it (1010 otherwise), and what changes people and roles needs it in every session.',
  })
  async confirmPassword(
    @Arg('password', () => String, { description: 'Their password.' }) password: string,
    @Ctx() context: Context,
  ): Promise<boolean> {
    await context.throttle();
    await this.verify(context, password);
    await sessions.confirmSession(this.services.deps, personOf(context).sessionId);
    return true;
  }

  @Needs('READ_AUDIT')
  @Query(() => AuditLogConnection, {
    description: 'What changed keys, settings, webhooks and money, by whom and from where, newest first.',
  })
  async auditLog(@Args(() => PageArgs) args: PageArgs, @Ctx() context: Context): Promise<AuditLogConnection> {
    const { merchantId } = callerOf(context);
    const page = openPage(this.services, `auditLog/${merchantId}`, args);
    const { nodes, hasMore } = await findAuditEntries(this.services.deps, merchantId, page);
    return toConnection(nodes, hasMore, page);
  }
}
