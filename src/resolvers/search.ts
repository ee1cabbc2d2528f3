// GraphQL operations that find what somebody has a piece of, and that count what there is.

import { Args, ArgsType, Ctx, Field, FieldResolver, Int, ObjectType, Query, Resolver, Root } from 'type-graphql';
import {
  countNewest,
  countPayments,
  MOST_COUNTED,
  type CreatedIn,
} from '../database/queries/payments/count-payments.ts';
import { readAnywhere } from '../database/read-source.ts';
import { search } from '../domain/search/search.ts';
import type { PayoutSnapshot } from '../domain/snapshots/payout.ts';
import * as checks from '../values/checks.ts';
import { callerOf, Needs, NeedsToken, type Context } from './operation/context.ts';
import { Checked } from './operation/validation.ts';
import type { Services } from './services.ts';
import { Invoice } from './types/invoice.ts';
import { Payment } from './types/payment.ts';
import { PayoutUnion } from './types/payout.ts';

const FOUND_BY_DEFAULT = 10;
const MOST_FOUND = 50;

@ArgsType()
export class SearchArgs {
  @Field(() => String, {
    description:
      'The beginning of an id, a reference, an e-mail address or a product, in any case; or a whole address or hash.',
  })
  @Checked(checks.text(255))
  declare text: string;

  @Field(() => Int, { nullable: true, description: `How many of each: 1 to ${MOST_FOUND}, else ${FOUND_BY_DEFAULT}.` })
  @Checked(checks.whole(1, MOST_FOUND))
  declare first?: number | null;
}

@ObjectType({ description: 'What a search found, of each kind newest first.', simpleResolvers: true })
export class SearchResult {
  @Field(() => [Payment], { description: 'Payments; none without `READ_PAYMENTS`.' })
  declare payments: Payment[];

  @Field(() => [Invoice], { description: 'Invoices; none without `READ_PAYMENTS`.' })
  declare invoices: Invoice[];

  @Field(() => [PayoutUnion], { description: 'Withdrawals and refunds; none without `WITHDRAW`.' })
  declare payouts: PayoutSnapshot[];
}

@ArgsType()
export class CountArgs {
  @Field(() => String, { nullable: true, description: 'Created at or after: YYYY-MM-DD or ISO 8601.' })
  @Checked(checks.date)
  declare startDate?: string | null;

  @Field(() => String, { nullable: true, description: 'Created before; a bare date is included.' })
  @Checked(checks.date)
  declare endDate?: string | null;
}

@ObjectType({ description: `How many payments there are; ${MOST_COUNTED} stands for that many or more.` })
export class PaymentCounts {
  readonly range?: CreatedIn;

  @Field(() => Int, { description: 'In any state.' })
  declare all: number;

  @Field(() => Int, { description: 'Waiting for money or confirmations.' })
  declare open: number;

  @Field(() => Int, { description: 'Waiting for a decision, as `needsAttention` lists them.' })
  declare waiting: number;

  @Field(() => Int, { description: 'Paid, refunded or not.' })
  declare paid: number;

  @Field(() => Int, { description: 'Ended without having been paid.' })
  declare unpaid: number;
}

@Resolver(() => PaymentCounts)
export class SearchResolver {
  constructor(private readonly services: Services) {}

  @NeedsToken()
  @Query(() => SearchResult, { description: 'Finds orders, invoices and payouts by what is known of them.' })
  async search(@Args(() => SearchArgs) { text, first }: SearchArgs, @Ctx() context: Context): Promise<SearchResult> {
    const { merchantId, permissions } = callerOf(context);
    const kinds = { orders: permissions.has('READ_PAYMENTS'), payouts: permissions.has('WITHDRAW') };
    const found = await search(this.services.deps, { merchantId, text, kinds, limit: first ?? FOUND_BY_DEFAULT });
    return found as SearchResult;
  }

  @Needs('READ_PAYMENTS')
  @Query(() => PaymentCounts, { description: 'How many payments there are of each kind, of those made in a time.' })
  async paymentCounts(
    @Args(() => CountArgs) { startDate, endDate }: CountArgs,
    @Ctx() context: Context,
  ): Promise<PaymentCounts> {
    const range = {
      from: startDate == null ? null : checks.parseDate(startDate, 'start'),
      until: endDate == null ? null : checks.parseDate(endDate, 'end'),
    };
    const { merchantId } = callerOf(context);
    const counts = await readAnywhere(this.services.deps.db, ({ pool }) => countPayments(pool, merchantId, range));
    return { ...counts, range };
  }

  @FieldResolver(() => Number, {
    nullable: true,
    description: `The share of the newest ${MOST_COUNTED} that was paid, of those that ended; null where none has.`,
  })
  async successRate(@Root() { range }: PaymentCounts, @Ctx() context: Context): Promise<number | null> {
    const none = { from: null, until: null };
    const { merchantId } = callerOf(context);
    const { paid, unpaid } = await readAnywhere(this.services.deps.db, ({ pool }) =>
      countNewest(pool, merchantId, range ?? none),
    );
    return paid + unpaid === 0 ? null : paid / (paid + unpaid);
  }
}
