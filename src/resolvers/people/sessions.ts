// GraphQL operations of people: their sessions, their password, and the audit log of their merchant.

import { Arg, Args, Ctx, Field, ID, Int, Mutation, ObjectType, Query, Resolver } from 'type-graphql';
import { GraphQLJSONObject } from 'graphql-scalars';
import { hashPassword } from '../../access/passwords.ts';
import { findAuditEntries, type AuditAction } from '../../domain/merchants/audit-log.ts';
import * as passwords from '../../domain/people/passwords.ts';
import * as sessions from '../../domain/people/sessions.ts';
import { FactorKindEnum, type FactorKind } from '../../entities/enums.ts';
import { invalid } from '../../values/errors.ts';
import { passwordIn } from '../../values/checks.ts';
import { callerOf, Needs, NeedsPerson, NeedsSelf, personOf, selfOf, type Context } from '../operation/context.ts';
import { openPage, toConnection } from '../pagination.ts';
import type { Services } from '../services.ts';
import { PageArgs, PageInfo } from '../types/page.ts';
import { browserOf, verifyOwnPassword } from './sign-in.ts';

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

  @Field(() => String, { nullable: true, description: 'What its client calls itself; null if it does not say.' })
  declare userAgent: string | null;

  @Field(() => Date, { nullable: true, description: 'When it was used last, within a minute.' })
  declare lastSeenAt: Date | null;

  @Field(() => [FactorKindEnum], { description: 'What was shown besides the password.' })
  declare factors: FactorKind[];

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

@Resolver()
export class SessionResolver {
  constructor(private readonly services: Services) {}

  @NeedsSelf()
  @Mutation(() => Boolean, { description: 'Signs you out: this session ends, with its tokens and sockets.' })
  async logout(@Ctx() context: Context): Promise<boolean> {
    const actor = selfOf(context);
    await sessions.endSession(this.services.deps, actor, actor.sessionId, true);
    context.cookie?.drop();
    return true;
  }

  @NeedsPerson()
  @Query(() => [OwnerSession], { description: 'Your open sessions at all your merchants, newest first.' })
  async sessions(@Ctx() context: Context): Promise<OwnerSession[]> {
    const { personId, sessionId } = personOf(context);
    const open = await sessions.listSessions(this.services.deps, personId);
    return open.map((session) => ({ ...session, factors: [...session.factors], isCurrent: session.id === sessionId }));
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
    await verifyOwnPassword(this.services, context, current);
    const actor = personOf(context);
    const kept = { sessionId: actor.sessionId, device: browserOf(context)?.device.shown ?? null };
    await passwords.changePassword(deps, actor, await hashPassword(password), kept);
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
