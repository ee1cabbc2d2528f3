// GraphQL operations of somebody who signed in, on themselves: their profile and their merchants.

import { Arg, Args, ArgsType, Ctx, Field, ID, Mutation, Query, Resolver } from 'type-graphql';
import * as person from '../../domain/people/person.ts';
import { Merchant } from '../../entities/merchant.ts';
import * as checks from '../../values/checks.ts';
import {
  answer,
  idempotencyOf,
  NeedsPerson,
  NeedsSelf,
  personOf,
  Registers,
  selfOf,
  type Context,
} from '../operation/context.ts';
import { AnyText, Checked, NeverNull } from '../operation/validation.ts';
import { invitationOf, type Services } from '../services.ts';
import { AccessToken } from '../types/account.ts';
import { Person, type Membership } from '../types/people.ts';
import { goOnAt } from './sign-in.ts';

@ArgsType()
export class ProfileArgs {
  @Field(() => String, { nullable: true, description: 'Your name: 1 to 100 characters.' })
  @Checked(checks.text(100))
  @NeverNull()
  declare name?: string | null;

  @Field(() => String, { nullable: true, description: 'Your language: one of the nine that pages have.' })
  @Checked(checks.locale)
  @NeverNull()
  declare locale?: string | null;
}

@ArgsType()
export class AddMerchantArgs {
  @Field(() => String, { description: 'The company name, shown to customers: 1 to 200 characters.' })
  @Checked(checks.text(200))
  declare companyName: string;

  @Field(() => String, {
    nullable: true,
    description: "The secret from the link of an operator's invitation; needed where `REGISTRATION` is `invite`.",
  })
  @AnyText()
  declare invitation?: string | null;
}

/** The same with lists as GraphQL has them. */
const shown = ({ factors, identities, memberships, ...self }: person.Person): Person => ({
  ...self,
  factors: [...factors],
  identities: [...identities],
  memberships: memberships as Membership[],
});

@Resolver()
export class PersonResolver {
  constructor(private readonly services: Services) {}

  @NeedsSelf()
  @Query(() => Person, {
    description: "Who is signed in, and the merchants that they belong to: none in an operator's session.",
  })
  async me(@Ctx() context: Context): Promise<Person> {
    const { personId, merchantId } = selfOf(context);
    const self = shown(await person.readPerson(this.services.deps, personId));
    return merchantId === null ? { ...self, memberships: [] } : self;
  }

  @NeedsPerson()
  @Mutation(() => Person, { description: 'Changes your name or language; what is left out stays.' })
  async updateProfile(@Args(() => ProfileArgs) profile: ProfileArgs, @Ctx() context: Context): Promise<Person> {
    return shown(await person.updateProfile(this.services.deps, personOf(context).personId, profile));
  }

  @NeedsPerson()
  @Mutation(() => AccessToken, {
    description: 'Goes on in this session with another of your merchants: a token of that one.',
  })
  async switchMerchant(
    @Arg('merchantId', () => ID, { description: 'The id of a merchant that you belong to.' }) merchantId: string,
    @Ctx() context: Context,
  ): Promise<AccessToken> {
    return await goOnAt(this.services, context, personOf(context), merchantId);
  }

  @NeedsPerson()
  @Registers()
  @Mutation(() => Merchant, {
    description: 'Makes another merchant, whose owner you are; `switchMerchant` goes there.',
  })
  async addMerchant(
    @Args(() => AddMerchantArgs) { companyName, invitation = null }: AddMerchantArgs,
    @Ctx() context: Context,
  ): Promise<Merchant> {
    const actor = personOf(context);
    const asked = { scope: actor.personId, operation: 'addMerchant', input: { companyName } };
    const idempotency = idempotencyOf(this.services, context, asked);
    const request = { companyName, invitationId: invitationOf(this.services, invitation) };
    return answer(context, await person.addOwnMerchant(this.services.deps, actor, request, idempotency)) as Merchant;
  }
}
