// GraphQL types of the event log.

import { ArgsType, Field, ID, Int, ObjectType } from 'type-graphql';
import type { InvoiceSnapshot } from '../../domain/snapshots/invoice.ts';
import type { PaymentSnapshot } from '../../domain/snapshots/payment.ts';
import type { PayoutSnapshot } from '../../domain/snapshots/payout.ts';
import * as checks from '../../values/checks.ts';
import { Checked } from '../operation/validation.ts';
import { Invoice } from './invoice.ts';
import { DEFAULT_PAGE, MOST_PER_PAGE } from './page.ts';
import { Payment } from './payment.ts';
import { Refund, Withdrawal } from './payout.ts';

const GREATEST_INT = 2_147_483_647;

/** Which part of the log. */
@ArgsType()
export class EventsArgs {
  @Field(() => Int, {
    nullable: true,
    description: 'The sequence number to go on after; 0, the beginning, if left out.',
  })
  @Checked(checks.whole(0, GREATEST_INT))
  declare after?: number | null;

  @Field(() => Int, { nullable: true, description: `How many: 1 to ${MOST_PER_PAGE}, else ${DEFAULT_PAGE}.` })
  @Checked(checks.whole(1, MOST_PER_PAGE))
  declare first?: number | null;
}

/** Where to begin following the log. */
@ArgsType()
export class EventAddedArgs {
  @Field(() => Int, {
    nullable: true,
    description:
      'The sequence number to go on after, 0 for the beginning; if left out, only what is added from now on.',
  })
  @Checked(checks.whole(0, GREATEST_INT))
  declare after?: number | null;
}

@ObjectType({ description: 'Something that happened, in its order.', simpleResolvers: true })
export class Event {
  @Field(() => Int, { description: "Its place among the merchant's events, from 1 and without gaps." })
  declare sequence: number;

  @Field(() => ID, { description: 'The event id, `evt_…`; the same in webhooks.' })
  declare id: string;

  @Field(() => String, { description: 'What happened, such as `payment.succeeded`.' })
  declare type: string;

  @Field(() => Date, { description: 'When it happened.' })
  declare createdAt: Date;

  @Field(() => Payment, { nullable: true, description: 'The payment as of then; null where it is of no payment.' })
  declare payment: PaymentSnapshot | null;

  @Field(() => Invoice, { nullable: true, description: 'The invoice as of then; null where it is of no invoice.' })
  declare invoice: InvoiceSnapshot | null;

  @Field(() => Withdrawal, {
    nullable: true,
    description: 'The withdrawal as of then; null where it is of none, and without WITHDRAW.',
  })
  declare withdrawal: PayoutSnapshot | null;

  @Field(() => Refund, {
    nullable: true,
    description: 'The refund as of then; null where it is of none, and without WITHDRAW.',
  })
  declare refund: PayoutSnapshot | null;
}

@ObjectType({ description: 'A part of the event log, oldest first.', simpleResolvers: true })
export class EventPage {
  @Field(() => [Event], { description: 'The events.' })
  declare items: readonly Event[];

  @Field(() => Boolean, { description: 'Whether there are more after these already.' })
  declare hasMore: boolean;
}
