// GraphQL operations by which operators see merchants, suspend and restore them.

import { Arg, Args, ArgsType, Ctx, Field, ID, Mutation, ObjectType, Query, Resolver } from 'type-graphql';
import * as merchants from '../../domain/operator/merchants.ts';
import { formatAmount } from '../../values/amount.ts';
import { assetOf } from '../../values/assets.ts';
import * as checks from '../../values/checks.ts';
import { AlwaysConfirmed, NeedsOperator, type Context } from '../operation/context.ts';
import { Checked } from '../operation/validation.ts';
import { openPage, toConnection } from '../pagination.ts';
import type { Services } from '../services.ts';
import { PageArgs, PageInfo } from '../types/page.ts';
import { WalletBalance } from '../wallet.ts';
import { actingOperator } from './operator.ts';
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
}

const show = ({ balances, ...merchant }: merchants.OperatorMerchant): OperatorMerchant => ({
  ...merchant,
  balances: balances.map(({ currency, network, ...amounts }) => {
    const text = (units: bigint) => formatAmount(units, assetOf({ currency, network }).decimals);
    const { available, pending, reserved } = amounts;
    return { currency, network, available: text(available), pending: text(pending), reserved: text(reserved) };
  }),
});
