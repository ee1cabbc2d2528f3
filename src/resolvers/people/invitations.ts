// GraphQL operations on invitations: members make them, and those who were invited accept them by the link of a mail.

import { Arg, Args, ArgsType, Ctx, Field, ID, InputType, Mutation, ObjectType, Query, Resolver } from 'type-graphql';
import { hashPassword } from '../../access/passwords.ts';
import { acceptInvitation, type Accepting } from '../../domain/people/accept-invitation.ts';
import { readOffer } from '../../domain/people/invitation-offer.ts';
import * as invitations from '../../domain/people/invitations.ts';
import type { Credentials } from '../../domain/people/passwords.ts';
import { RoleEnum } from '../../entities/enums.ts';
import * as checks from '../../values/checks.ts';
import { GatewayError, invalid } from '../../values/errors.ts';
import type { Role } from '../../values/member-permission.ts';
import { readLinkSecret } from '../../values/secrets/mail-links.ts';
import {
  AlwaysConfirmed,
  answer,
  callerOf,
  idempotencyOf,
  Needs,
  personOf,
  Throttled,
  type Context,
} from '../operation/context.ts';
import { AnyText, Checked } from '../operation/validation.ts';
import { peopleDeps, requireMail, type Services } from '../services.ts';
import { AccessToken } from '../types/account.ts';
import { Invitation } from '../types/people.ts';
import { createPasswordCheck, foundBy, goOnAt, refuseUnfit, startSession, type PasswordCheck } from './sign-in.ts';

@InputType({ description: 'Whom to invite.' })
export class InviteInput {
  @Field(() => String, { description: 'Their e-mail address.' })
  @Checked(checks.email)
  declare email: string;

  @Field(() => RoleEnum, { description: 'What they will be: nothing that you lack yourself.' })
  declare role: Role;

  @Field(() => ID, { nullable: true, description: 'The custom role, if the role is CUSTOM.' })
  declare roleId?: string | null;
}

@ObjectType({ description: 'What an invitation offers, to those who have its link.', simpleResolvers: true })
export class InvitationOffer {
  @Field(() => String, { nullable: true, description: 'The company; null for an invitation to register one.' })
  declare companyName: string | null;

  @Field(() => String, { description: 'The e-mail address that was invited.' })
  declare email: string;

  @Field(() => RoleEnum, { nullable: true, description: 'What they will be; null for an invitation to register.' })
  declare role: Role | null;

  @Field(() => Boolean, { description: 'Whether the address has an account, whose password accepts.' })
  declare hasAccount: boolean;
}

/** The password alone does not sign in those with a second factor: they accept in a session. Throws 1009. */
const refuseFactor = ({ hasSecondFactor }: Credentials): Promise<void> =>
  hasSecondFactor
    ? Promise.reject(new GatewayError('SECOND_FACTOR_NEEDED', { message: 'Sign in first, then accept' }))
    : Promise.resolve();

@ArgsType()
export class AcceptArgs {
  @Field(() => String, { description: 'The secret from the link.' })
  @AnyText()
  declare token: string;

  @Field(() => String, { nullable: true, description: 'Your name, if you are new: 1 to 100 characters.' })
  @Checked(checks.text(100))
  declare name?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'The password of your account, or a new one: 8 to 128 characters. Not needed by those signed in.',
  })
  @AnyText()
  declare password?: string | null;
}

@Resolver()
export class InvitationResolver {
  private readonly check: PasswordCheck;

  constructor(private readonly services: Services) {
    this.check = createPasswordCheck(services);
  }

  @Needs('MANAGE_PEOPLE')
  @Query(() => [Invitation], { description: 'The invitations that are open, newest first.' })
  async invitations(@Ctx() context: Context): Promise<Invitation[]> {
    return (await invitations.listInvitations(this.services.deps, callerOf(context).merchantId)) as Invitation[];
  }

  @Needs('MANAGE_PEOPLE')
  @AlwaysConfirmed()
  @Mutation(() => Invitation, {
    description: 'Invites somebody by mail, for seven days; an earlier invitation of theirs ends.',
  })
  async inviteMember(
    @Arg('input', () => InviteInput, { description: 'Whom to invite.' }) input: InviteInput,
    @Ctx() context: Context,
  ): Promise<Invitation> {
    requireMail(this.services);
    const actor = personOf(context);
    const asked = { scope: actor.merchantId, operation: 'inviteMember', input };
    const invited = await invitations.inviteMember(
      peopleDeps(this.services),
      actor,
      { ...input, roleId: input.roleId ?? null },
      idempotencyOf(this.services, context, asked),
    );
    const { expiresAt, ...rest } = answer(context, invited);
    return { ...rest, expiresAt: new Date(expiresAt) } as Invitation;
  }

  @Needs('MANAGE_PEOPLE')
  @Mutation(() => Boolean, { description: 'Ends an open invitation.' })
  async revokeInvitation(
    @Arg('id', () => ID, { description: 'The id of the invitation.' }) id: string,
    @Ctx() context: Context,
  ): Promise<boolean> {
    await invitations.revokeInvitation(peopleDeps(this.services), personOf(context), id);
    return true;
  }

  @Query(() => InvitationOffer, {
    nullable: true,
    description: 'What the invitation of a link offers; null if it has ended, or the secret is wrong.',
  })
  async invitation(
    @Arg('token', () => String, { description: 'The secret from the link.' }) token: string,
  ): Promise<InvitationOffer | null> {
    const id = this.linkOf(token);
    return id === null ? null : await readOffer(this.services.deps, id);
  }

  @Throttled()
  @Mutation(() => AccessToken, {
    description:
      'Accepts an invitation: as who you are signed in as, with the password of your account, or with a name and a new password. Answers a token of the merchant.',
  })
  async acceptInvitation(@Args(() => AcceptArgs) args: AcceptArgs, @Ctx() context: Context): Promise<AccessToken> {
    const id = this.linkOf(args.token);
    if (id === null) throw new GatewayError('NOT_FOUND');
    const { ip, requestId } = context;
    refuseUnfit(this.services, context, 'MERCHANT');
    const accept = async (accepting: Accepting) =>
      acceptInvitation(peopleDeps(this.services), id, accepting, { ip, requestId });
    if (context.caller?.personId != null) {
      const own = personOf(context);
      const { merchantId } = await accept({ personId: own.personId });
      return await goOnAt(this.services, context, own, merchantId);
    }
    const accepting = await this.acceptingBy(id, args, ip);
    return await startSession(this.services, context, await accept(accepting), { isFirst: 'name' in accepting });
  }

  /** Who accepts without being signed in: the person whose password it is, or somebody new. */
  private async acceptingBy(id: string, { name, password }: AcceptArgs, ip: string): Promise<Accepting> {
    const { deps } = this.services;
    const offer = await readOffer(deps, id);
    if (!offer) throw new GatewayError('NOT_FOUND');
    if (password == null) throw invalid([{ path: 'password', message: 'is required' }]);
    if (offer.hasAccount) {
      // They read their mails, as the link shows, and so their tries count by it.
      return foundBy(await this.check({ email: offer.email, password, ip, own: id }, { andThen: refuseFactor }));
    }
    const fault = checks.password(password) ?? checks.passwordIn(deps.environment)(password);
    if (fault !== null) throw invalid([{ path: 'password', message: fault }]);
    return { name: name ?? '', passwordHash: await hashPassword(password) };
  }

  private linkOf(token: string): string | null {
    return readLinkSecret(this.services.deps.secrets.linkKey, token);
  }
}
