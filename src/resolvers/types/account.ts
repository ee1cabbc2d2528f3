// GraphQL types of registration and access tokens.

import { ArgsType, Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import { PermissionEnum } from '../../entities/enums.ts';
import { Merchant } from '../../entities/merchant.ts';
import * as checks from '../../values/checks.ts';
import type { Permission } from '../../values/permission.ts';
import { AnyText, Checked } from '../operation/validation.ts';

@ObjectType({ description: 'A key pair as it is shown once, when it is made.', simpleResolvers: true })
export class NewApiKey {
  @Field(() => ID, { description: 'The public id.' })
  declare keyId: string;

  @Field(() => String, { nullable: true, description: 'The secret; null where the answer repeats an earlier one.' })
  declare secret: string | null;

  @Field(() => [PermissionEnum], { description: 'What the key may do.' })
  declare permissions: Permission[];
}

@ObjectType({ description: 'A registered merchant and their first key pair.', simpleResolvers: true })
export class Registration {
  @Field(() => ID, { description: 'The merchant identifier, `mer_…`.' })
  declare merchantId: string;

  @Field(() => Merchant, { description: 'The account.' })
  declare merchant: Merchant;

  @Field(() => NewApiKey, { description: 'Its first key pair. The secret is shown this once.' })
  declare apiKey: NewApiKey;
}

const INVITED = "The secret from the link of an operator's invitation; needed where `REGISTRATION` is `invite`.";

@InputType({ description: 'A merchant to register.' })
export class RegisterMerchantInput {
  @Field(() => String, { description: 'The account e-mail address; one account each.' })
  @Checked(checks.email)
  declare email: string;

  @Field(() => String, { description: 'The company name, shown to customers.' })
  @Checked(checks.text(200))
  declare companyName: string;

  @Field(() => String, { description: '8 to 128 characters.' })
  @Checked(checks.password)
  declare password: string;

  @Field(() => String, { nullable: true, description: INVITED })
  @AnyText()
  declare invitation?: string | null;
}

@InputType({ description: 'A merchant to make for tests.' })
export class CreateMerchantInput {
  @Field(() => String, { description: 'The account e-mail address; one account each.' })
  @Checked(checks.email)
  declare email: string;

  @Field(() => String, { description: 'The company name, shown to customers.' })
  @Checked(checks.text(200))
  declare companyName: string;

  @Field(() => String, { nullable: true, description: INVITED })
  @AnyText()
  declare invitation?: string | null;
}

/** A key pair to exchange. Anything that does not match a key is a wrong credential (1005), whatever its format. */
@ArgsType()
export class CredentialsArgs {
  @Field(() => ID, { description: 'The public id of a key.' })
  declare keyId: string;

  @Field(() => String, { description: "The key's secret." })
  @AnyText()
  declare secret: string;
}

@ObjectType({ description: 'An access token.', simpleResolvers: true })
export class AccessToken {
  @Field(() => String, { description: 'The token, a JWT: send it as `Authorization: Bearer …`.' })
  declare accessToken: string;

  @Field(() => String, { description: 'Always `Bearer`.' })
  declare tokenType: string;

  @Field(() => Int, { description: 'Its lifetime in seconds.' })
  declare expiresIn: number;

  @Field(() => Date, { description: 'When it expires.' })
  declare expiresAt: Date;

  @Field(() => [PermissionEnum], { description: 'What it allows.' })
  declare permissions: Permission[];
}
