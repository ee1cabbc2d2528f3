// GraphQL types of paginated lists, as Relay connections. `nodes` and `nextCursor` serve clients that do not want
// edges.

import { ArgsType, Field, Int, ObjectType } from 'type-graphql';
import * as checks from '../../values/checks.ts';
import { Checked } from '../operation/validation.ts';
import { Payment } from './payment.ts';

export const DEFAULT_PAGE = 20;
export const MOST_PER_PAGE = 100;

/** Which page of a list. */
@ArgsType()
export class PageArgs {
  @Field(() => Int, { nullable: true, description: `How many: 1 to ${MOST_PER_PAGE}, else ${DEFAULT_PAGE}.` })
  @Checked(checks.whole(1, MOST_PER_PAGE))
  declare first?: number | null;

  @Field(() => String, { nullable: true, description: 'The cursor to go on after.' })
  @Checked(checks.cursor)
  declare after?: string | null;
}

@ObjectType({ description: 'Where a page of a list stands.', simpleResolvers: true })
export class PageInfo {
  @Field(() => String, { nullable: true, description: 'The cursor of the first item; null on an empty page.' })
  declare startCursor: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'The cursor of the last item, or where a search goes on; else null on an empty page.',
  })
  declare endCursor: string | null;

  @Field(() => Boolean, { description: 'Whether there are more items after this page.' })
  declare hasNextPage: boolean;

  @Field(() => Boolean, { description: 'Whether the page was reached by a cursor.' })
  declare hasPreviousPage: boolean;

  @Field(() => String, {
    nullable: true,
    description: 'What to send as the cursor of the next page; null on the last.',
  })
  declare nextCursor: string | null;
}

@ObjectType({ description: 'A payment in a list.', simpleResolvers: true })
export class PaymentEdge {
  @Field(() => String, { description: 'Its cursor: the list goes on after it.' })
  declare cursor: string;

  @Field(() => Payment, { description: 'The payment.' })
  declare node: Payment;
}

@ObjectType({ description: 'A page of payments, newest first.', simpleResolvers: true })
export class PaymentConnection {
  @Field(() => [PaymentEdge], { description: 'The payments with their cursors.' })
  declare edges: PaymentEdge[];

  @Field(() => [Payment], { description: 'The payments.' })
  declare nodes: Payment[];

  @Field(() => PageInfo, { description: 'Where this page stands.' })
  declare pageInfo: PageInfo;
}
