// GraphQL operations that sign people in: with a password, a second factor where they have one, or a passkey alone.

import { Arg, Args, ArgsType, Ctx, Field, Mutation, Resolver } from 'type-graphql';
import { acceptAnswer, acceptCode, claimantOf } from '../../domain/factors/answers.ts';
import { openChallenge, takeTry, type Challenge as OpenChallenge } from '../../domain/factors/challenges.ts';
import { askForPasskey } from '../../domain/factors/passkeys.ts';
import { readCredentials, type Credentials } from '../../domain/people/passwords.ts';
import type { FactorKind } from '../../entities/enums.ts';
import { GatewayError } from '../../values/errors.ts';
import { Throttled, type Context } from '../operation/context.ts';
import { AnyText } from '../operation/validation.ts';
import { answerDeps, type Services } from '../services.ts';
import { AccessToken } from '../types/account.ts';
import { AnswerInput, Challenge, SignIn } from '../types/factors.ts';
import {
  createPasswordCheck,
  foundBy,
  goOnAfter,
  placeOf,
  refuseUnfit,
  startAsOperator,
  startAtHome,
  type PasswordCheck,
} from './sign-in.ts';

/** An e-mail address and a password. Anything that matches nobody is wrong (1005), whatever its format. */
@ArgsType()
export class SignInArgs {
  @Field(() => String, { description: 'The account e-mail address.' })
  @AnyText()
  declare email: string;

  @Field(() => String, { description: 'The password.' })
  @AnyText()
  declare password: string;
}

const AS_OPERATOR = 'Whether to sign in as an operator: the session is of no merchant, and does nothing of theirs.';

@ArgsType()
export class SignInAsArgs extends SignInArgs {
  @Field(() => Boolean, { nullable: true, description: AS_OPERATOR })
  declare operator?: boolean | null;
}

@ArgsType()
export class LoginArgs extends SignInArgs {
  @Field(() => String, {
    nullable: true,
    description: 'The code of your authenticator app, or a recovery code, if you have set up a second factor.',
  })
  @AnyText()
  declare code?: string | null;
}

/** How many attempts of a sign-in came before the answer to its challenge. */
const earlierSteps = ({ purpose, isMailShown }: OpenChallenge): number =>
  purpose === 'PASSKEY_SIGN_IN' ? 0 : isMailShown ? 2 : 1;

@Resolver()
export class SignInResolver {
  private readonly check: PasswordCheck;

  constructor(private readonly services: Services) {
    this.check = createPasswordCheck(services);
  }

  @Throttled()
  @Mutation(() => AccessToken, {
    description:
      'Signs a person in, at the merchant that they used last: a token with the permissions of their role there, which belongs to a session and to no key. Those with a second factor send its code as well (1009). With `Turnpike-Session: cookie` it is kept in a cookie that scripts cannot read, and `accessToken` is empty.',
  })
  async login(@Args(() => LoginArgs) { code, ...who }: LoginArgs, @Ctx() context: Context): Promise<AccessToken> {
    let factors: readonly FactorKind[] = [];
    const andThen = async ({ personId, hasSecondFactor }: Credentials) => {
      if (!hasSecondFactor) return;
      const answered = code == null ? null : await acceptCode(answerDeps(this.services), personId, code);
      if (!answered) throw new GatewayError('SECOND_FACTOR_NEEDED');
      factors = [answered.factor];
    };
    const { personId } = foundBy(await this.check({ ...who, ...placeOf(context) }, { andThen }));
    return await startAtHome(this.services, context, personId, factors);
  }

  @Throttled()
  @Mutation(() => SignIn, {
    description:
      'Signs a person in like `login`, in two steps for those with a second factor: they are answered a challenge. So is everybody on a device that is not known, right or wrong, while an account is attacked: then a code is mailed to those whose password was right.',
  })
  async signIn(@Args(() => SignInAsArgs) args: SignInAsArgs, @Ctx() context: Context): Promise<SignIn> {
    const { operator, ...who } = args;
    const forOperator = operator === true;
    refuseUnfit(this.services, context, forOperator ? 'OPERATOR' : 'MERCHANT');
    const checked = await this.check({ ...who, ...placeOf(context) }, { asksLater: true });
    return await goOnAfter(this.services, context, { email: who.email, forOperator }, checked);
  }

  @Throttled()
  @Mutation(() => Challenge, {
    description: 'Begins to sign in with a passkey alone: which one, and so who it is, shows in the answer.',
  })
  async startPasskeySignIn(
    @Arg('operator', () => Boolean, { nullable: true, description: AS_OPERATOR }) operator: boolean | null | undefined,
    @Ctx() context: Context,
  ): Promise<Challenge> {
    const { deps, site } = this.services;
    const forOperator = operator === true;
    refuseUnfit(this.services, context, forOperator ? 'OPERATOR' : 'MERCHANT');
    const { webauthn, options } = await askForPasskey(deps, site, null);
    const asked = { purpose: 'PASSKEY_SIGN_IN', personId: null, sessionId: null, forOperator, webauthn } as const;
    const { id, expiresAt } = await openChallenge(deps, asked);
    return { id, expiresAt, factors: ['PASSKEY'], passkey: options };
  }

  @Throttled()
  @Mutation(() => AccessToken, {
    description:
      'Answers the challenge of a sign-in. A wrong answer is 1005; a challenge that has expired, or has had five wrong answers, is 2004. A mailed code that was right is 1009 for those with an authenticator app, whose code answers the same challenge next.',
  })
  async finishSignIn(
    @Arg('input', () => AnswerInput, { description: 'A code, or what a passkey signed.' }) input: AnswerInput,
    @Ctx() context: Context,
  ): Promise<AccessToken> {
    const { attempts } = this.services;
    const deps = answerDeps(this.services);
    const purposes = ['SIGN_IN', 'PASSKEY_SIGN_IN', 'MAIL_SIGN_IN'] as const;
    const challenge = await takeTry(deps, input.challengeId ?? '', { purposes, sessionId: null });
    refuseUnfit(this.services, context, challenge.forOperator ? 'OPERATOR' : 'MERCHANT');
    const claimant = await claimantOf(deps, challenge, input);
    const { email } = claimant === null ? { email: '' } : await readCredentials(deps, claimant);
    const { personId, factor } = await attempts.attempt(
      { email: challenge.email ?? email, ...placeOf(context) },
      (isSuspect) => {
        // Asked before the account was attacked: now the mail has to be shown first.
        if (isSuspect && challenge.purpose === 'SIGN_IN') throw new GatewayError('NOT_FOUND');
        return acceptAnswer(deps, challenge, input);
      },
      { earlier: earlierSteps(challenge) },
    );
    const factors = challenge.isMailShown ? (['MAIL_CODE', factor] as const) : [factor];
    return await this.start(context, personId, challenge.forOperator, factors);
  }

  private start(
    context: Context,
    personId: string,
    forOperator: boolean,
    factors: readonly FactorKind[] = [],
  ): Promise<AccessToken> {
    return (forOperator ? startAsOperator : startAtHome)(this.services, context, personId, factors);
  }
}
