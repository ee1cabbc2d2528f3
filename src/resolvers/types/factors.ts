// GraphQL types of second factors, and of what asks for them.

import { GraphQLJSONObject } from 'graphql-scalars';
import { Field, ID, InputType, ObjectType } from 'type-graphql';
import { FactorKindEnum, type FactorKind } from '../../entities/enums.ts';
import { AnyText } from '../operation/validation.ts';
import { AccessToken } from './account.ts';

type Json = Readonly<Record<string, unknown>>;

@ObjectType({
  description: 'A question for one of your factors. It waits five minutes, and five answers.',
  simpleResolvers: true,
})
export class Challenge {
  @Field(() => ID, { description: 'The id to answer to, `chg_…`.' })
  declare id: string;

  @Field(() => [FactorKindEnum], { description: 'What can answer; nothing if the password does.' })
  declare factors: FactorKind[];

  @Field(() => GraphQLJSONObject, {
    nullable: true,
    description: 'What a browser needs to ask a passkey (WebAuthn, as JSON); null where none can answer.',
  })
  declare passkey: Json | null;

  @Field(() => String, {
    nullable: true,
    description:
      'The path that the browser goes to where the provider of identities answers in your place: `/auth/oidc/start`. Null for all others.',
  })
  declare startPath?: string | null;

  @Field(() => Date, { description: 'Until when it waits.' })
  declare expiresAt: Date;
}

@ObjectType({ description: 'A sign-in: a token, or what is still asked for. One of the two is null.' })
export class SignIn {
  @Field(() => AccessToken, { nullable: true, description: 'The token of somebody without a second factor.' })
  declare token: AccessToken | null;

  @Field(() => Challenge, { nullable: true, description: 'The question that `finishSignIn` answers.' })
  declare challenge: Challenge | null;
}

@ObjectType({ description: 'A second factor that you have set up.', simpleResolvers: true })
export class Factor {
  @Field(() => ID, { description: 'Its id, `fct_…`.' })
  declare id: string;

  @Field(() => FactorKindEnum, { description: 'An authenticator app, or a passkey.' })
  declare kind: FactorKind;

  @Field(() => String, { description: 'Your name for it.' })
  declare label: string;

  @Field(() => Date, { description: 'Since when you have it.' })
  declare createdAt: Date;

  @Field(() => Date, { nullable: true, description: 'When it was used last; null if never.' })
  declare lastUsedAt: Date | null;
}

@ObjectType({ description: 'What an authenticator app is given, before it counts.', simpleResolvers: true })
export class TotpSetup {
  @Field(() => ID, { description: 'The id that `finishTotp` takes.' })
  declare id: string;

  @Field(() => String, { description: 'The secret in base32, to type.' })
  declare secret: string;

  @Field(() => String, { description: 'The same as an `otpauth:` address, to show as a QR code.' })
  declare uri: string;
}

@InputType({ description: 'An answer to a challenge: one of code, passkey and password.' })
export class AnswerInput {
  @Field(() => ID, { nullable: true, description: 'The challenge; only a password does without.' })
  declare challengeId?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'The code of an authenticator app or of a mail, or a recovery code.',
  })
  @AnyText()
  declare code?: string | null;

  @Field(() => GraphQLJSONObject, { nullable: true, description: 'What the browser answered for a passkey, as JSON.' })
  declare passkey?: Json | null;

  @Field(() => String, { nullable: true, description: 'The password, where there is no second factor.' })
  @AnyText()
  declare password?: string | null;
}
