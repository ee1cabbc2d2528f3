// GraphQL operations on one's own second factors. All of them need a session that was confirmed lately.

import { Arg, Args, ArgsType, Ctx, Field, ID, Mutation, Resolver } from 'type-graphql';
import { removeFactor, renewRecoveryCodes } from '../../domain/factors/factors.ts';
import * as setups from '../../domain/factors/setups.ts';
import { readCredentials } from '../../domain/people/passwords.ts';
import * as checks from '../../values/checks.ts';
import { invalid } from '../../values/errors.ts';
import { AlwaysConfirmed, NeedsSelf, selfOf, type Context } from '../operation/context.ts';
import { AnyText, Checked } from '../operation/validation.ts';
import { answerDeps, peopleDeps, type Services } from '../services.ts';
import { AnswerInput, Challenge, Factor, TotpSetup } from '../types/factors.ts';

@ArgsType()
export class FinishTotpArgs {
  @Field(() => ID, { description: 'The id from `startTotp`.' })
  declare id: string;

  @Field(() => String, { description: 'What the app shows now.' })
  @AnyText()
  declare code: string;

  @Field(() => String, { description: 'A name for the app or its phone: 1 to 100 characters.' })
  @Checked(checks.text(100))
  declare label: string;
}

@ArgsType()
export class FinishPasskeyArgs {
  @Field(() => AnswerInput, { description: 'The challenge, and what the browser answered.' })
  declare input: AnswerInput;

  @Field(() => String, { description: 'A name for the passkey: 1 to 100 characters.' })
  @Checked(checks.text(100))
  declare label: string;
}

@Resolver()
export class FactorResolver {
  constructor(private readonly services: Services) {}

  @NeedsSelf()
  @AlwaysConfirmed()
  @Mutation(() => TotpSetup, { description: 'Begins to set up an authenticator app, in five minutes.' })
  async startTotp(@Ctx() context: Context): Promise<TotpSetup> {
    return await setups.startTotp(answerDeps(this.services), selfOf(context), await this.emailOf(context));
  }

  @NeedsSelf()
  @AlwaysConfirmed()
  @Mutation(() => Factor, {
    description: 'Ends the set-up with a code that the app shows; from then on it is asked for.',
  })
  async finishTotp(@Args(() => FinishTotpArgs) answer: FinishTotpArgs, @Ctx() context: Context): Promise<Factor> {
    return await setups.finishTotp(answerDeps(this.services), selfOf(context), answer);
  }

  @NeedsSelf()
  @AlwaysConfirmed()
  @Mutation(() => Challenge, { description: 'Begins to set up a passkey: `passkey` is what the browser needs.' })
  async startPasskey(@Ctx() context: Context): Promise<Challenge> {
    const deps = answerDeps(this.services);
    const { challenge, asked } = await setups.startPasskey(deps, selfOf(context), await this.emailOf(context));
    const { id, expiresAt } = challenge;
    return { id, expiresAt, factors: ['PASSKEY'], passkey: asked.options };
  }

  @NeedsSelf()
  @AlwaysConfirmed()
  @Mutation(() => Factor, { description: 'Ends the set-up of a passkey with what the browser made.' })
  async finishPasskey(
    @Args(() => FinishPasskeyArgs) { input, label }: FinishPasskeyArgs,
    @Ctx() context: Context,
  ): Promise<Factor> {
    const { challengeId, passkey } = input;
    if (challengeId == null) throw invalid([{ path: 'input.challengeId', message: 'is required' }]);
    const answer = { id: challengeId, passkey, label };
    return await setups.finishPasskey(answerDeps(this.services), selfOf(context), answer);
  }

  @NeedsSelf()
  @AlwaysConfirmed()
  @Mutation(() => Boolean, {
    description:
      'Removes a factor. For a while you then approve nothing, loosen nothing and make no owner; without another factor your recovery codes end. The last way in stays (2011).',
  })
  async removeFactor(
    @Arg('id', () => ID, { description: 'The id of the factor.' }) id: string,
    @Ctx() context: Context,
  ): Promise<boolean> {
    const issuer = this.services.provider?.issuer ?? null;
    await removeFactor(peopleDeps(this.services), selfOf(context), { id, issuer });
    return true;
  }

  @NeedsSelf()
  @AlwaysConfirmed()
  @Mutation(() => [String], {
    description:
      'Makes ten recovery codes, each good once in place of a factor; the earlier ones end. Shown this once.',
  })
  async newRecoveryCodes(@Ctx() context: Context): Promise<string[]> {
    return await renewRecoveryCodes(this.services.deps, selfOf(context));
  }

  private async emailOf(context: Context): Promise<string> {
    return (await readCredentials(this.services.deps, selfOf(context).personId)).email;
  }
}
