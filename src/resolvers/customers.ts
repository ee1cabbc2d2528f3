// GraphQL operations on a merchant's customers.

import { Args, ArgsType, Ctx, Field, ID, Int, Mutation, ObjectType, Resolver } from 'type-graphql';
import { eraseCustomer } from '../domain/customers/erase-customer.ts';
import * as checks from '../values/checks.ts';
import { AlwaysConfirmed, answer, idempotencyOf, Needs, personOf, type Context } from './operation/context.ts';
import { Checked } from './operation/validation.ts';
import type { Services } from './services.ts';

@ObjectType({ description: 'What became of the data of a customer.', simpleResolvers: true })
export class Erasure {
  @Field(() => ID, { description: 'The id of the erasure, `ers_…`.' })
  declare id: string;

  @Field(() => Int, { description: 'How many payments named them.' })
  declare payments: number;

  @Field(() => Int, { description: 'How many events were about these.' })
  declare events: number;

  @Field(() => Int, { description: 'How many mails went to them.' })
  declare mails: number;

  @Field(() => Date, { description: 'When they were erased.' })
  declare at: Date;
}

@ArgsType()
export class EraseCustomerArgs {
  @Field(() => String, { description: 'Their e-mail address, in any case.' })
  @Checked(checks.email)
  declare email: string;
}

@Resolver()
export class CustomerResolver {
  constructor(private readonly services: Services) {}

  @Needs('ERASE_CUSTOMERS')
  @AlwaysConfirmed()
  @Mutation(() => Erasure, {
    description: 'Removes what names a customer from all that is kept; amounts, addresses and the books stay (2013).',
  })
  async eraseCustomer(
    @Args(() => EraseCustomerArgs) { email }: EraseCustomerArgs,
    @Ctx() context: Context,
  ): Promise<Erasure> {
    const actor = personOf(context);
    const { merchantId: scope } = actor;
    const once = idempotencyOf(this.services, context, { scope, operation: 'eraseCustomer', input: { email } });
    return answer(context, await eraseCustomer(this.services.deps, actor, email, once));
  }
}
