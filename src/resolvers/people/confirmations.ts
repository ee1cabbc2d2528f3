// GraphQL operations by which somebody who is signed in shows that it is still them: what moves money, keys, people or
// factors needs that (1010).

import { Arg, Ctx, Mutation, Resolver } from 'type-graphql';
import { acceptAnswer, askForFactor } from '../../domain/factors/answers.ts';
import { closeChallenge, takeTry } from '../../domain/factors/challenges.ts';
import { hasIdentityAlone } from '../../domain/people/identities.ts';
import { readCredentials } from '../../domain/people/passwords.ts';
import { confirmSession } from '../../domain/people/sessions.ts';
import { GatewayError, invalid } from '../../values/errors.ts';
import { NeedsSelf, selfOf, type Context } from '../operation/context.ts';
import { answerDeps, type Services } from '../services.ts';
import { AnswerInput, Challenge } from '../types/factors.ts';
import { startPathOf, verifyOwnPassword } from './sign-in.ts';

@Resolver()
export class ConfirmationResolver {
  constructor(private readonly services: Services) {}

  @NeedsSelf()
  @Mutation(() => Challenge, {
    description:
      'Asks for a confirmation: by one of your factors, or by the password if you have set up none. Those with neither sign in at the provider anew: the browser goes to `startPath`, and then `confirm` takes the challenge alone.',
  })
  async startConfirmation(@Ctx() context: Context): Promise<Challenge> {
    const { personId, sessionId } = selfOf(context);
    const asked = await askForFactor(answerDeps(this.services), { purpose: 'CONFIRMATION', personId, sessionId });
    return { ...asked, startPath: (await this.isVouchedFor(personId)) ? startPathOf(asked.id) : null };
  }

  @NeedsSelf()
  @Mutation(() => Date, {
    description:
      'Shows that it is you who sits there, and answers until when that holds. Wrong: 1005. The password is refused (1009) where there is a second factor.',
  })
  async confirm(
    @Arg('input', () => AnswerInput, { description: 'A code, what a passkey signed, or the password.' })
    input: AnswerInput,
    @Ctx() context: Context,
  ): Promise<Date> {
    await context.throttle();
    const { sessionId } = selfOf(context);
    if (input.password != null) await this.byPassword(context, input.password);
    else await this.byFactor(context, input);
    return await confirmSession(this.services.deps, sessionId);
  }

  @NeedsSelf()
  @Mutation(() => Boolean, {
    description:
      'Confirms with the password, like `confirm`, if you have no second factor (1009 otherwise): in a session of the console, what moves money, keys or webhooks needs it (1010), and what changes people and roles needs it in every session.',
  })
  async confirmPassword(
    @Arg('password', () => String, { description: 'Their password.' }) password: string,
    @Ctx() context: Context,
  ): Promise<boolean> {
    await context.throttle();
    await this.byPassword(context, password);
    await confirmSession(this.services.deps, selfOf(context).sessionId);
    return true;
  }

  private async byPassword(context: Context, password: string): Promise<void> {
    const { hasSecondFactor } = await verifyOwnPassword(this.services, context, password);
    if (hasSecondFactor) throw new GatewayError('SECOND_FACTOR_NEEDED');
  }

  private async byFactor(context: Context, input: AnswerInput): Promise<void> {
    if (input.challengeId == null) throw invalid([{ path: 'input.challengeId', message: 'is required' }]);
    const deps = answerDeps(this.services);
    const { personId, sessionId } = selfOf(context);
    const challenge = await takeTry(deps, input.challengeId, { purposes: ['CONFIRMATION'], sessionId });
    if (challenge.isVouched && (await this.isVouchedFor(personId)))
      return await closeChallenge(deps.db.em, challenge.id, deps.clock.now());
    const { email } = await readCredentials(deps, personId);
    await this.services.attempts.attempt({ email, ip: context.ip, own: sessionId }, () =>
      acceptAnswer(deps, challenge, input),
    );
  }

  /** Whether the provider vouches for a person: they have nothing else to confirm by. */
  private async isVouchedFor(personId: string): Promise<boolean> {
    const { deps, provider } = this.services;
    return provider !== null && (await hasIdentityAlone(deps, personId, provider.issuer));
  }
}
