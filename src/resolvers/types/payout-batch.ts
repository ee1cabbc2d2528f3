// GraphQL types of batches of withdrawals.

import { Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import { BatchStatusEnum } from '../../entities/payout-enums.ts';
import * as checks from '../../values/checks.ts';
import type { BatchStatus } from '../../values/payouts/batch-status.ts';
import { Checked } from '../operation/validation.ts';
import { PageInfo } from './page.ts';

/** The most withdrawals of a batch. */
const MOST_ROWS = 1_000;

@ObjectType({ description: 'Withdrawals that were requested together.', simpleResolvers: true })
export class PayoutBatch {
  @Field(() => ID, { description: 'The batch id, `bat_…`.' })
  declare id: string;

  @Field(() => String, { nullable: true, description: 'Your own name for it.' })
  declare label: string | null;

  @Field(() => BatchStatusEnum, { description: 'Where it stands.' })
  declare status: BatchStatus;

  @Field(() => Int, { description: 'How many withdrawals it has.' })
  declare rows: number;

  @Field(() => Int, { description: 'How many of them were paid.' })
  declare completed: number;

  @Field(() => Int, { description: 'How many of them failed.' })
  declare failed: number;

  @Field(() => Date, { description: 'When it was requested.' })
  declare createdAt: Date;
}

@InputType({ description: 'A withdrawal of a batch.' })
export class PayoutRowInput {
  @Field(() => String, { description: 'A currency code, in any case.' })
  @Checked(checks.text(20))
  declare currency: string;

  @Field(() => String, { description: 'A network code or alias, in any case.' })
  @Checked(checks.text(20))
  declare network: string;

  @Field(() => String, { description: 'A decimal string.' })
  @Checked(checks.amount)
  declare amount: string;

  @Field(() => String, { nullable: true, description: 'Where the money goes; this or `addressId`.' })
  @Checked(checks.text(200))
  declare address?: string | null;

  @Field(() => ID, { nullable: true, description: 'An active address of the book, in place of `address`.' })
  declare addressId?: string | null;

  @Field(() => String, { nullable: true, description: 'Your own id; the same one is never paid twice (4005).' })
  @Checked(checks.text(255))
  declare merchantWithdrawalId?: string | null;
}

@InputType({ description: 'A batch to make: all of it is requested, or nothing.' })
export class PayoutBatchInput {
  @Field(() => String, { nullable: true, description: 'Your own name for it: 1 to 100 characters.' })
  @Checked(checks.text(100))
  declare label?: string | null;

  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether two rows may pay the same amount of an asset to the same address. By default they may not.',
  })
  declare allowDuplicates?: boolean | null;

  @Field(() => [PayoutRowInput], { description: 'The withdrawals: 1 to 1,000.' })
  @Checked(checks.listOf(1, MOST_ROWS))
  declare rows: PayoutRowInput[];
}

@ObjectType({ description: 'A batch in a list.', simpleResolvers: true })
export class PayoutBatchEdge {
  @Field(() => String, { description: 'Its cursor: the list goes on after it.' })
  declare cursor: string;

  @Field(() => PayoutBatch, { description: 'The batch.' })
  declare node: PayoutBatch;
}

@ObjectType({ description: 'A page of batches, newest first.', simpleResolvers: true })
export class PayoutBatchConnection {
  @Field(() => [PayoutBatchEdge], { description: 'The batches with their cursors.' })
  declare edges: PayoutBatchEdge[];

  @Field(() => [PayoutBatch], { description: 'The batches.' })
  declare nodes: PayoutBatch[];

  @Field(() => PageInfo, { description: 'Where this page stands.' })
  declare pageInfo: PageInfo;
}
