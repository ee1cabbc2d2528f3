// GraphQL operations by which operators see merchants, suspend and restore them.

import { Arg, Args, ArgsType, Ctx, Field, ID, Mutation, ObjectType, Query, Resolver } from 'type-graphql';
import { inviteMerchant } from '../../domain/operator/invitations.ts';
import * as merchants from '../../domain/operator/merchants.ts';
import { formatAmount } from '../../values/amount.ts';
import { assetOf } from '../../values/assets.ts';
import * as checks from '../../values/checks.ts';
import { GatewayError } from '../../values/errors.ts';
import { AlwaysConfirmed, answer, NeedsOperator, type Context } from '../operation/context.ts';
import { Checked } from '../operation/validation.ts';
import { openPage, toConnection } from '../pagination.ts';
import { requireMail, type Services } from '../services.ts';
import { PageArgs, PageInfo } from '../types/page.ts';
import { Invitation } from '../types/people.ts';
import { WalletBalance } from '../wallet.ts';
import { actingOperator, operatorsKey } from './operator.ts';
import { reasonCheck } from './types.ts';

@ObjectType({ description: 'A merchant as operators see them.', simpleResolvers: true })
export class OperatorMerchant {
  @Field(() => ID, { description: 'The merchant id, `mer_…`.' })
  declare id: string;

  @Field(() => String, { description: 'The company name.' })
  declare companyName: string;

  @Field(() => String, { description: 'The e-mail address of the owner of longest standing.' })
  declare email: string;

  @Field(() => Date, { description: 'When they registered.' })
  declare createdAt: Date;

  @Field(() => Date, { nullable: true, description: 'Since when they are suspended; null if they are not.' })
  declare suspendedAt: Date | null;

  @Field(() => String, { nullable: true, description: 'Why; null if they are not.' })
  declare suspendReason: string | null;

  @Field(() => [WalletBalance], { description: 'The balances of every asset that ever moved.' })
  declare balances: WalletBalance[];
}

@ObjectType({ description: 'A merchant in a list.', simpleResolvers: true })
export class OperatorMerchantEdge {
  @Field(() => String, { description: 'Its cursor: the list goes on after it.' })
  declare cursor: string;

  @Field(() => OperatorMerchant, { description: 'The merchant.' })
  declare node: OperatorMerchant;
}

@ObjectType({ description: 'A page of merchants, newest first.', simpleResolvers: true })
export class OperatorMerchantConnection {
  @Field(() => [OperatorMerchantEdge], { description: 'The merchants with their cursors.' })
  declare edges: OperatorMerchantEdge[];

  @Field(() => [OperatorMerchant], { description: 'The merchants.' })
  declare nodes: OperatorMerchant[];

  @Field(() => PageInfo, { description: 'Where this page stands.' })
  declare pageInfo: PageInfo;
}

@ArgsType()
export class MerchantSearchArgs extends PageArgs {
  @Field(() => String, {
    nullable: true,
    description: 'An id, or a part of the company name or of an e-mail address, in any case.',
  })
  @Checked(checks.text(200))
  declare search?: string | null;
}

@ArgsType()
export class SuspendArgs {
  @Field(() => ID, { description: 'The merchant id.' })
  declare id: string;

  @Field(() => String, { description: 'Why: 1 to 255 characters.' })
  @Checked(reasonCheck)
  declare reason: string;
}

@ArgsType()
export class InviteMerchantArgs {
  @Field(() => String, { description: 'Their e-mail address.' })
  @Checked(checks.email)
  declare email: string;
}

@Resolver()
export class OperatorMerchantResolver {
  constructor(private readonly services: Services) {}

  @NeedsOperator()
  @Query(() => OperatorMerchantConnection, { description: 'Merchants, newest first.' })
  async operatorMerchants(
    @Args(() => MerchantSearchArgs) { search = null, ...args }: MerchantSearchArgs,
    @Ctx() context: Context,
  ): Promise<OperatorMerchantConnection> {
    const page = openPage(this.services, `operatorMerchants/${search ?? ''}`, args);
    const { limit, before } = page;
    const operator = actingOperator(this.services, context);
    const { nodes, hasMore } = await merchants.listMerchants(operator, { search, limit, before });
    return toConnection(nodes.map(show), hasMore, page);
  }

  @NeedsOperator()
  @AlwaysConfirmed()
  @Mutation(() => OperatorMerchant, {
    description:
      'Suspends a merchant: they change and make nothing (1012), their pages are closed, and their payouts wait. What is under way is watched, credited and told on.',
  })
  async suspendMerchant(
    @Args(() => SuspendArgs) { id, reason }: SuspendArgs,
    @Ctx() context: Context,
  ): Promise<OperatorMerchant> {
    return show(await merchants.suspendMerchant(actingOperator(this.services, context), id, reason));
  }

  @NeedsOperator()
  @AlwaysConfirmed()
  @Mutation(() => OperatorMerchant, { description: "Ends a merchant's suspension." })
  async restoreMerchant(
    @Arg('id', () => ID, { description: 'The merchant id.' }) id: string,
    @Ctx() context: Context,
  ): Promise<OperatorMerchant> {
    return show(await merchants.restoreMerchant(actingOperator(this.services, context), id));
  }

  @NeedsOperator()
  @AlwaysConfirmed()
  @Mutation(() => Invitation, {
    description:
      'Invites somebody by mail to register a merchant, for seven days; an earlier invitation of theirs ends. 1011 where registration is closed.',
  })
  async inviteMerchant(
    @Args(() => InviteMerchantArgs) { email }: InviteMerchantArgs,
    @Ctx() context: Context,
  ): Promise<Invitation> {
    const { services } = this;
    if (services.registration === 'closed') throw new GatewayError('REGISTRATION_CLOSED');
    requireMail(services);
    const operator = actingOperator(services, context);
    const key = operatorsKey(services, context, 'inviteMerchant', { email });
    const request = { email, invitedBy: operator.name, isMailed: true };
    const { expiresAt, ...rest } = answer(context, await inviteMerchant(operator, request, key));
    return { ...rest, expiresAt: new Date(expiresAt) };
  }
}

const show = ({ balances, ...merchant }: merchants.OperatorMerchant): OperatorMerchant => ({
  ...merchant,
  balances: balances.map(({ currency, network, ...amounts }) => {
    const text = (units: bigint) => formatAmount(units, assetOf({ currency, network }).decimals);
    const { available, pending, reserved } = amounts;
    return { currency, network, available: text(available), pending: text(pending), reserved: text(reserved) };
  }),
});
