// GraphQL operations for somebody who lost their password: a mail with a link, by which they choose another one.

import { Arg, Args, ArgsType, Ctx, Field, Mutation, Resolver } from 'type-graphql';
import { hashPassword } from '../../access/passwords.ts';
import { refuseElsewhere } from '../../domain/cell-directory.ts';
import { findByEmail } from '../../domain/people/passwords.ts';
import { requestReset, useReset } from '../../domain/people/password-resets.ts';
import * as checks from '../../values/checks.ts';
import { GatewayError, invalid } from '../../values/errors.ts';
import { readLinkSecret } from '../../values/secrets/mail-links.ts';
import { Throttled, type Context } from '../operation/context.ts';
import { AnyText } from '../operation/validation.ts';
import { peopleDeps, requireMail, type Services } from '../services.ts';
import { browserOf } from './sign-in.ts';

@ArgsType()
export class ResetRequestArgs {
  @Field(() => String, { description: 'The e-mail address of an account.' })
  @AnyText()
  declare email: string;
}

@Resolver()
export class PasswordResetResolver {
  constructor(private readonly services: Services) {}

  @Throttled()
  @Mutation(() => Boolean, {
    description:
      'Mails a link by which a new password can be chosen within 30 minutes. Answers true whether or not there is such an account.',
  })
  async requestPasswordReset(@Args(() => ResetRequestArgs) { email }: ResetRequestArgs): Promise<boolean> {
    requireMail(this.services);
    if (!checks.isStorable(email)) return true;
    const { deps } = this.services;
    const [found, elsewhere] = await Promise.all([findByEmail(deps, email), deps.directory?.elsewhere(email) ?? null]);
    if (found === null) refuseElsewhere(elsewhere);
    await requestReset(deps, email);
    return true;
  }

  @Throttled()
  @Mutation(() => Boolean, {
    description:
      'Sets a new password by the link of a mail. All sessions of the person end, and all their other links.',
  })
  async resetPassword(
    @Arg('token', () => String, { description: 'The secret from the link.' }) token: string,
    @Arg('password', () => String, { description: 'The new one: 8 to 128 characters.' }) password: string,
    @Ctx() context: Context,
  ): Promise<boolean> {
    const { ip, requestId } = context;
    const { deps } = this.services;
    const fault = checks.password(password) ?? checks.passwordIn(deps.environment)(password);
    if (fault !== null) throw invalid([{ path: 'password', message: fault }]);
    const id = readLinkSecret(deps.secrets.linkKey, token);
    if (id === null) throw new GatewayError('NOT_FOUND');
    const browser = browserOf(context);
    const chosen = { passwordHash: await hashPassword(password), device: browser?.device ?? null };
    await useReset(peopleDeps(this.services), id, chosen, { ip, requestId });
    browser?.keep(false);
    return true;
  }
}
