// GraphQL types of withdrawals and refunds.

import { createUnionType, Field, ID, InputType, ObjectType } from 'type-graphql';
import { PayoutStatusEnum } from '../../entities/payout-enums.ts';
import * as checks from '../../values/checks.ts';
import { isId } from '../../values/id.ts';
import type { PayoutStatus } from '../../values/payouts/state.ts';
import { decimalsOfAsset } from '../operation/asset-decimals.ts';
import { Checked, CheckedTogether, type TogetherCheck } from '../operation/validation.ts';
import { PageInfo } from './page.ts';

@ObjectType({ description: 'A withdrawal from the balance.', simpleResolvers: true })
export class Withdrawal {
  @Field(() => ID, { description: 'The withdrawal id, `wdr_…`.' })
  declare id: string;

  @Field(() => PayoutStatusEnum, { description: 'Where it stands.' })
  declare status: PayoutStatus;

  @Field(() => String, { description: 'What the recipient gets, a decimal string.' })
  declare amount: string;

  @Field(() => String, { description: 'What is charged on top, a decimal string.' })
  declare networkFee: string;

  @Field(() => String, { description: 'The currency code.' })
  declare currency: string;

  @Field(() => String, { description: 'The canonical network code.' })
  declare network: string;

  @Field(() => String, { description: 'Where the money goes.' })
  declare address: string;

  @Field(() => String, { nullable: true, description: "The transaction's hash, once there is one." })
  declare txHash: string | null;

  @Field(() => String, {
    nullable: true,
    description: "The transaction's page on a public explorer; null without one, and off the main networks.",
  })
  declare explorerUrl?: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      'Why it waits, e.g. `TOO_EXPENSIVE`; null while nothing holds it. See the list of reasons in the guide.',
  })
  declare heldReason: string | null;

  @Field(() => String, { nullable: true, description: "The merchant's own id." })
  declare merchantWithdrawalId: string | null;

  @Field(() => Date, { description: 'When it was asked for.' })
  declare createdAt: Date;

  @Field(() => ID, { nullable: true, description: 'The entry of the book that it goes to, if it does.' })
  declare addressId: string | null;

  @Field(() => ID, { nullable: true, description: 'The batch that it is a row of, if it is.' })
  declare batchId: string | null;

  @Field(() => String, { nullable: true, description: 'Why it failed or was rejected, in words.' })
  declare failureReason: string | null;

  @Field(() => String, { nullable: true, description: 'Who asked for it: a key, a person, or a rule of settlement.' })
  declare requestedBy: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Who approved or rejected it: a person id, a key id, or `system` where its time ran out.',
  })
  declare decidedBy: string | null;

  @Field(() => Date, { description: 'When it last changed.' })
  declare updatedAt: Date;

  @Field(() => Date, { nullable: true, description: 'When it was first paid; null until then.' })
  declare completedAt: Date | null;
}

@ObjectType({ description: 'A refund of a payment. The fee is not given back.', simpleResolvers: true })
export class Refund {
  @Field(() => ID, { description: 'The refund id, `rfd_…`.' })
  declare id: string;

  @Field(() => ID, { description: 'The payment it belongs to.' })
  declare paymentId: string;

  @Field(() => PayoutStatusEnum, { description: 'Where it stands.' })
  declare status: PayoutStatus;

  @Field(() => String, { description: 'What the customer gets, a decimal string.' })
  declare amount: string;

  @Field(() => String, { description: 'The currency code.' })
  declare currency: string;

  @Field(() => String, { description: 'The canonical network code.' })
  declare network: string;

  @Field(() => String, { description: 'Where the money goes.' })
  declare address: string;

  @Field(() => String, { nullable: true, description: "The transaction's hash, once there is one." })
  declare txHash: string | null;

  @Field(() => String, {
    nullable: true,
    description: "The transaction's page on a public explorer; null without one, and off the main networks.",
  })
  declare explorerUrl?: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      'Why it waits, e.g. `TOO_EXPENSIVE`; null while nothing holds it. See the list of reasons in the guide.',
  })
  declare heldReason: string | null;

  @Field(() => Date, { description: 'When it was asked for.' })
  declare createdAt: Date;

  @Field(() => String, { nullable: true, description: 'Why it failed or was rejected, in words.' })
  declare failureReason: string | null;

  @Field(() => String, { nullable: true, description: 'Who asked for it: a key, a person, or a rule of settlement.' })
  declare requestedBy: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Who approved or rejected it: a person id, a key id, or `system` where its time ran out.',
  })
  declare decidedBy: string | null;

  @Field(() => Date, { description: 'When it last changed.' })
  declare updatedAt: Date;

  @Field(() => Date, { nullable: true, description: 'When it was first paid; null until then.' })
  declare completedAt: Date | null;
}

@InputType({ description: 'Which refunds to list; what is left out does not narrow.' })
export class RefundFilter {
  @Field(() => ID, { nullable: true, description: 'Of this payment.' })
  declare paymentId?: string | null;

  @Field(() => [PayoutStatusEnum], { nullable: true, description: 'In one of these states.' })
  declare status?: PayoutStatus[] | null;
}

@InputType({ description: 'Which withdrawals to list; what is left out does not narrow.' })
export class WithdrawalFilter {
  @Field(() => ID, { nullable: true, description: 'Of this batch.' })
  declare batchId?: string | null;

  @Field(() => [PayoutStatusEnum], { nullable: true, description: 'In one of these states.' })
  declare status?: PayoutStatus[] | null;
}

/** A withdrawal or a refund, told apart by their ids. */
export const PayoutUnion = createUnionType({
  name: 'Payout',
  description: 'A withdrawal or a refund.',
  types: () => [Withdrawal, Refund] as const,
  resolveType: ({ id }) => (isId('rfd', id) ? 'Refund' : 'Withdrawal'),
});

const decimalsOfWithdrawal = decimalsOfAsset('WITHDRAWAL');

/** A withdrawal goes to an address, or to one of the book. */
const oneDestination: TogetherCheck = ({ address, addressId }) => {
  if (address == null && addressId == null) return [{ path: 'address', message: 'is required' }];
  return address == null || addressId == null ? [] : [{ path: 'address', message: 'stands in place of addressId' }];
};

@InputType({ description: 'A withdrawal to make.' })
@CheckedTogether((fields) => [...decimalsOfWithdrawal(fields), ...oneDestination(fields)])
export class WithdrawInput {
  @Field(() => String, { description: 'A currency code, in any case.' })
  @Checked(checks.text(20))
  declare currency: string;

  @Field(() => String, { description: 'A network code or alias, in any case.' })
  @Checked(checks.text(20))
  declare network: string;

  @Field(() => String, { description: 'A decimal string, or `max`: all that is available less the network fee.' })
  @Checked(checks.amountOrMax)
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

@InputType({ description: 'A refund to make.' })
export class RefundPaymentInput {
  @Field(() => ID, { description: 'The payment to refund.' })
  declare paymentId: string;

  @Field(() => String, { description: 'Where the money goes.' })
  @Checked(checks.text(200))
  declare address: string;

  @Field(() => String, { nullable: true, description: 'A decimal string; all that is refundable, if left out.' })
  @Checked(checks.amount)
  declare amount?: string | null;
}

@ObjectType({ description: 'A withdrawal in a list.', simpleResolvers: true })
export class WithdrawalEdge {
  @Field(() => String, { description: 'Its cursor: the list goes on after it.' })
  declare cursor: string;

  @Field(() => Withdrawal, { description: 'The withdrawal.' })
  declare node: Withdrawal;
}

@ObjectType({ description: 'A page of withdrawals, newest first.', simpleResolvers: true })
export class WithdrawalConnection {
  @Field(() => [WithdrawalEdge], { description: 'The withdrawals with their cursors.' })
  declare edges: WithdrawalEdge[];

  @Field(() => [Withdrawal], { description: 'The withdrawals.' })
  declare nodes: Withdrawal[];

  @Field(() => PageInfo, { description: 'Where this page stands.' })
  declare pageInfo: PageInfo;
}

@ObjectType({ description: 'A refund in a list.', simpleResolvers: true })
export class RefundEdge {
  @Field(() => String, { description: 'Its cursor: the list goes on after it.' })
  declare cursor: string;

  @Field(() => Refund, { description: 'The refund.' })
  declare node: Refund;
}

@ObjectType({ description: 'A page of refunds, newest first.', simpleResolvers: true })
export class RefundConnection {
  @Field(() => [RefundEdge], { description: 'The refunds with their cursors.' })
  declare edges: RefundEdge[];

  @Field(() => [Refund], { description: 'The refunds.' })
  declare nodes: Refund[];

  @Field(() => PageInfo, { description: 'Where this page stands.' })
  declare pageInfo: PageInfo;
}
