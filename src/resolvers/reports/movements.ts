// Movements: the postings of the book that touch a merchant, as rows.

import { Arg, Args, Ctx, Field, ID, InputType, ObjectType, Query, registerEnumType, Resolver } from 'type-graphql';
import { findMovements, MOVEMENT_TYPES, type MovementType } from '../../domain/ledger/movements.ts';
import * as checks from '../../values/checks.ts';
import { callerOf, Needs, type Context } from '../operation/context.ts';
import { Checked } from '../operation/validation.ts';
import { openPage, toConnection } from '../pagination.ts';
import type { Services } from '../services.ts';
import { PageArgs, PageInfo } from '../types/page.ts';

const MovementTypeEnum = Object.fromEntries(MOVEMENT_TYPES.map((type) => [type, type]));
registerEnumType(MovementTypeEnum, {
  name: 'MovementType',
  description: 'What a movement is.',
  valuesConfig: {
    DEPOSIT: { description: 'A deposit, before our fee.' },
    FEE: { description: 'Our fee.' },
    REVERSAL: { description: 'A deposit that left the chain for good.' },
    RECEIVABLE: { description: 'A debt from a reversal that is paid, or that arises.' },
    RESERVE: { description: 'Set aside for a payout.' },
    RELEASE: { description: 'Set aside for a payout that came to nothing.' },
    WITHDRAWAL: { description: 'A withdrawal, without its network fee.' },
    REFUND: { description: 'A refund, without its network fee.' },
    NETWORK_FEE: { description: 'The network fee of a payout.' },
    CORRECTION: { description: 'Anything else, such as money that was found.' },
  },
});

/** In which order a list of movements is. */
const MovementOrderEnum = { NEWEST_FIRST: 'NEWEST_FIRST', OLDEST_FIRST: 'OLDEST_FIRST' } as const;
type MovementOrder = keyof typeof MovementOrderEnum;
registerEnumType(MovementOrderEnum, {
  name: 'MovementOrder',
  description: 'In which order a list of movements is.',
  valuesConfig: {
    NEWEST_FIRST: { description: 'The newest first, as other lists.' },
    OLDEST_FIRST: { description: 'The oldest first, of at most 366 days; without a start, of those before the end.' },
  },
});

@ObjectType({
  description: 'One posting of the book. What came to `available` less what left it is the balance.',
  simpleResolvers: true,
})
export class Movement {
  @Field(() => ID, { description: 'Its id in the book.' })
  declare id: string;

  @Field(() => Date, { description: 'When it was booked.' })
  declare at: Date;

  @Field(() => MovementTypeEnum, { description: 'What it is.' })
  declare type: MovementType;

  @Field(() => String, {
    description: 'Where it was: outside, available, reserved, receivable, fee, network_fee or suspense.',
  })
  declare from: string;

  @Field(() => String, { description: 'Where it is since then, by the same names.' })
  declare to: string;

  @Field(() => String, { description: 'How much, a decimal string without a sign.' })
  declare amount: string;

  @Field(() => String, { description: 'The currency code.' })
  declare currency: string;

  @Field(() => String, { description: 'The canonical network code.' })
  declare network: string;

  @Field(() => ID, { nullable: true, description: 'The payment that it belongs to.' })
  declare orderId: string | null;

  @Field(() => ID, { nullable: true, description: 'The withdrawal that it belongs to.' })
  declare withdrawalId: string | null;

  @Field(() => ID, { nullable: true, description: 'The refund that it belongs to.' })
  declare refundId: string | null;

  @Field(() => String, { nullable: true, description: 'The transaction that brought it, or took it away.' })
  declare txHash: string | null;

  @Field(() => String, {
    nullable: true,
    description: "The currency of the order's quote, else that of your books then; null for neither.",
  })
  declare fiatCurrency: string | null;

  @Field(() => String, {
    nullable: true,
    description: "The rate of the order's quote, else the market's then; null for good where there was none.",
  })
  declare fiatRate: string | null;

  @Field(() => String, { nullable: true, description: '`amount` at that rate, rounded half up.' })
  declare fiatAmount: string | null;
}

@InputType({ description: 'Which movements to list; what is left out does not narrow.' })
export class MovementFilter {
  @Field(() => String, { nullable: true, description: 'Booked at or after: YYYY-MM-DD or ISO 8601.' })
  @Checked(checks.date)
  declare startDate?: string | null;

  @Field(() => String, { nullable: true, description: 'Booked before; a bare date is included.' })
  @Checked(checks.date)
  declare endDate?: string | null;

  @Field(() => String, { nullable: true, description: 'Of one currency only.' })
  declare currency?: string | null;

  @Field(() => String, { nullable: true, description: 'Of one network only.' })
  declare network?: string | null;
}

@ObjectType({ description: 'A movement in a list.', simpleResolvers: true })
export class MovementEdge {
  @Field(() => String, { description: 'Its cursor: the list goes on after it.' })
  declare cursor: string;

  @Field(() => Movement, { description: 'The movement.' })
  declare node: Movement;
}

@ObjectType({ description: 'A page of movements.', simpleResolvers: true })
export class MovementConnection {
  @Field(() => [MovementEdge], { description: 'The movements with their cursors.' })
  declare edges: MovementEdge[];

  @Field(() => [Movement], { description: 'The movements.' })
  declare nodes: Movement[];

  @Field(() => PageInfo, { description: 'Where this page stands.' })
  declare pageInfo: PageInfo;
}

@Resolver()
export class MovementResolver {
  constructor(private readonly services: Services) {}

  @Needs('READ_REPORTS')
  @Query(() => MovementConnection, { description: 'Every posting of the book that touches the merchant.' })
  async movements(
    @Args(() => PageArgs) args: PageArgs,
    @Arg('filter', () => MovementFilter, { nullable: true, description: 'Which movements.' })
    filter: MovementFilter | null,
    @Arg('order', () => MovementOrderEnum, { nullable: true, description: 'NEWEST_FIRST by default.' })
    order: MovementOrder | null,
    @Ctx() context: Context,
  ): Promise<MovementConnection> {
    const { merchantId } = callerOf(context);
    const oldestFirst = order === 'OLDEST_FIRST';
    const page = openPage(this.services, `movements/${oldestFirst ? 'oldest/' : ''}${merchantId}`, args);
    const asked = { ...page, oldestFirst };
    const { nodes, hasMore } = await findMovements(this.services.deps, merchantId, filter ?? {}, asked);
    return toConnection<Movement>(nodes, hasMore, page);
  }
}
