// GraphQL types of people, the merchants that they belong to, and what they may do there.

import { Field, ID, Int, ObjectType } from 'type-graphql';
import { MemberPermissionEnum, RoleEnum } from '../../entities/enums.ts';
import { Merchant } from '../../entities/merchant.ts';
import type { MemberPermission, Role } from '../../values/member-permission.ts';
import { Factor } from './factors.ts';

@ObjectType({ description: "One of a merchant's own roles.", simpleResolvers: true })
export class CustomRole {
  @Field(() => ID, { description: 'The role id, `rol_…`.' })
  declare id: string;

  @Field(() => String, { description: 'Its name.' })
  declare name: string;

  @Field(() => [MemberPermissionEnum], { description: 'What it gives.' })
  declare permissions: MemberPermission[];
}

@ObjectType({ description: 'An account at a provider of identities, by which you sign in.', simpleResolvers: true })
export class Identity {
  @Field(() => ID, { description: 'Its id, `idn_…`.' })
  declare id: string;

  @Field(() => String, { description: 'The provider, as it names itself: the issuer of OpenID Connect.' })
  declare issuer: string;

  @Field(() => String, { description: 'The address or name that the provider told when you linked it.' })
  declare label: string;

  @Field(() => Date, { description: 'Since when it is linked.' })
  declare createdAt: Date;

  @Field(() => Date, { nullable: true, description: 'When it was used last; null if never since it was linked.' })
  declare lastUsedAt: Date | null;
}

@ObjectType({ description: 'A merchant that somebody belongs to.', simpleResolvers: true })
export class Membership {
  @Field(() => Merchant, { description: 'The merchant.' })
  declare merchant: Merchant;

  @Field(() => RoleEnum, { description: 'What they are there.' })
  declare role: Role;

  @Field(() => CustomRole, { nullable: true, description: 'Their custom role; null for every other.' })
  declare customRole: CustomRole | null;

  @Field(() => [MemberPermissionEnum], { description: 'What they may do there.' })
  declare permissions: MemberPermission[];
}

@ObjectType({ description: 'Somebody who signs in.', simpleResolvers: true })
export class Person {
  @Field(() => ID, { description: 'The person id, `usr_…`.' })
  declare id: string;

  @Field(() => String, { description: 'The e-mail address that they sign in with.' })
  declare email: string;

  @Field(() => Date, { nullable: true, description: 'When they showed that it is theirs; null until then.' })
  declare emailVerifiedAt: Date | null;

  @Field(() => String, { description: 'Their name; empty until they give one.' })
  declare name: string;

  @Field(() => String, { description: 'Their language, such as `en`.' })
  declare locale: string;

  @Field(() => Date, {
    nullable: true,
    description: 'Until then they approve nothing, add no address and loosen nothing; null if nothing holds them.',
  })
  declare heldUntil: Date | null;

  @Field(() => [Factor], { description: 'The second factors that they have set up, the oldest first.' })
  declare factors: Factor[];

  @Field(() => Int, { description: 'How many of their recovery codes were not used yet.' })
  declare recoveryCodesLeft: number;

  @Field(() => Boolean, { description: 'Whether they have a password: those who came by a provider have none.' })
  declare hasPassword: boolean;

  @Field(() => [Identity], { description: 'Their accounts at a provider, by which they sign in, the oldest first.' })
  declare identities: Identity[];

  @Field(() => [Membership], { description: 'The merchants that they belong to, those of longest standing first.' })
  declare memberships: Membership[];
}

@ObjectType({ description: 'A person at a merchant, as the other members see them.', simpleResolvers: true })
export class Member {
  @Field(() => ID, { description: 'The person id, `usr_…`.' })
  declare id: string;

  @Field(() => String, { description: 'Their e-mail address.' })
  declare email: string;

  @Field(() => String, { description: 'Their name; empty until they give one.' })
  declare name: string;

  @Field(() => RoleEnum, { description: 'What they are.' })
  declare role: Role;

  @Field(() => CustomRole, { nullable: true, description: 'Their custom role; null for every other.' })
  declare customRole: CustomRole | null;

  @Field(() => Boolean, { description: 'Whether they have set up a second factor.' })
  declare secondFactor: boolean;

  @Field(() => Date, {
    nullable: true,
    description: 'From when they may approve payouts; null if they may not.',
  })
  declare approvesFrom: Date | null;

  @Field(() => Date, { description: 'Since when they belong to the merchant.' })
  declare createdAt: Date;
}

@ObjectType({ description: 'An invitation that is open.', simpleResolvers: true })
export class Invitation {
  @Field(() => ID, { description: 'Its id, `ivn_…`.' })
  declare id: string;

  @Field(() => String, { description: 'Who was invited.' })
  declare email: string;

  @Field(() => RoleEnum, { description: 'What they will be.' })
  declare role: Role;

  @Field(() => CustomRole, { nullable: true, description: 'The custom role; null for every other.' })
  declare customRole: CustomRole | null;

  @Field(() => ID, { nullable: true, description: 'The person who invited; null for the command line of operators.' })
  declare invitedBy: string | null;

  @Field(() => Date, { description: 'Until when it can be accepted.' })
  declare expiresAt: Date;
}
