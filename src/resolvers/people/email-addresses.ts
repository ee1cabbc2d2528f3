// GraphQL operations on the e-mail address that somebody signs in with.

import { Arg, Args, ArgsType, Ctx, Field, Mutation, Resolver } from 'type-graphql';
import * as addresses from '../../domain/people/email-addresses.ts';
import * as checks from '../../values/checks.ts';
import { GatewayError } from '../../values/errors.ts';
import { readLinkSecret } from '../../values/secrets/mail-links.ts';
import { AlwaysConfirmed, NeedsPerson, personOf, Throttled, type Context } from '../operation/context.ts';
import { Checked } from '../operation/validation.ts';
import { peopleDeps, requireMail, type Services } from '../services.ts';

@ArgsType()
export class ChangeEmailArgs {
  @Field(() => String, { description: 'The new address; the present one is mailed a new link to confirm it.' })
  @Checked(checks.email)
  declare email: string;
}

@Resolver()
export class EmailAddressResolver {
  constructor(private readonly services: Services) {}

  @NeedsPerson()
  @Throttled()
  @AlwaysConfirmed()
  @Mutation(() => Boolean, {
    description:
      'Changes the address that you sign in with, at once. The new one is mailed a link that confirms it within 24 hours, the old one a link that takes the change back within seven days. For a while you then approve nothing, loosen nothing and make no owner.',
  })
  async changeEmail(
    @Args(() => ChangeEmailArgs) { email }: ChangeEmailArgs,
    @Ctx() context: Context,
  ): Promise<boolean> {
    requireMail(this.services);
    await addresses.changeEmail(peopleDeps(this.services), personOf(context), email);
    return true;
  }

  @Throttled()
  @Mutation(() => Boolean, { description: 'Confirms an e-mail address by the link that was mailed there.' })
  async verifyEmail(
    @Arg('token', () => String, { description: 'The secret from the link.' }) token: string,
  ): Promise<boolean> {
    await addresses.verifyEmail(this.services.deps, this.linkOf(token));
    return true;
  }

  @Throttled()
  @Mutation(() => Boolean, {
    description:
      'Takes the change of an e-mail address back, by the link that was mailed to the old one. All sessions of the person end, and their other links.',
  })
  async revertEmail(
    @Arg('token', () => String, { description: 'The secret from the link.' }) token: string,
    @Ctx() { ip, requestId }: Context,
  ): Promise<boolean> {
    await addresses.revertEmail(peopleDeps(this.services), this.linkOf(token), { ip, requestId });
    return true;
  }

  private linkOf(token: string): string {
    const id = readLinkSecret(this.services.deps.secrets.linkKey, token);
    if (id === null) throw new GatewayError('NOT_FOUND');
    return id;
  }
}
