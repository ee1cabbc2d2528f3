// GraphQL types of payments.

import { GraphQLJSONObject } from 'graphql-scalars';
import { Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import {
  DepositStatusEnum,
  PaymentExceptionEnum,
  PaymentStatusEnum,
  type DepositStatus,
  type PaymentException,
  type PaymentStatus,
} from '../../entities/enums.ts';
import type { TransactionSnapshot } from '../../domain/snapshots/payment.ts';
import * as checks from '../../values/checks.ts';
import { decimalsOfAsset } from '../operation/asset-decimals.ts';
import { Checked, CheckedEntries, CheckedTogether, SandboxOnly } from '../operation/validation.ts';

@ObjectType({ description: 'A transaction on the chain that pays a payment.', simpleResolvers: true })
export class Transaction {
  @Field(() => String, { description: "The transaction's hash." })
  declare txHash: string;

  @Field(() => String, { description: 'What it pays, a decimal string.' })
  declare amount: string;

  @Field(() => DepositStatusEnum, { description: 'Where it stands.' })
  declare status: DepositStatus;

  @Field(() => Int, { description: 'Blocks on top of it, its own included; 0 in the mempool or off the chain.' })
  declare confirmations: number;

  @Field(() => Int, { nullable: true, description: 'The height of its block; null in the mempool or off the chain.' })
  declare blockNumber: number | null;

  @Field(() => Date, { description: 'When the gateway first saw it.' })
  declare seenAt: Date;

  @Field(() => String, {
    nullable: true,
    description: 'Its page on a public explorer; null in the sandbox and on test networks.',
  })
  declare explorerUrl?: string | null;
}

@ObjectType({ description: 'A payment order.', simpleResolvers: true })
export class Payment {
  @Field(() => ID, { description: 'The order id, `ord_…`.' })
  declare id: string;

  @Field(() => String, { description: "The deposit address, this payment's alone." })
  declare address: string;

  @Field(() => String, { description: 'What is asked for, a decimal string.' })
  declare amount: string;

  @Field(() => String, { description: 'The currency code.' })
  declare currency: string;

  @Field(() => String, { description: 'The canonical network code.' })
  declare network: string;

  @Field(() => String, { description: 'The hosted payment page to send the customer to.' })
  declare paymentUrl: string;

  @Field(() => Date, { description: 'Until when the payment must arrive.' })
  declare expiresAt: Date;

  @Field(() => PaymentStatusEnum, { description: 'Where the payment stands.' })
  declare status: PaymentStatus;

  @Field(() => Date, { description: 'When it was created.' })
  declare createdAt: Date;

  @Field(() => PaymentExceptionEnum, { nullable: true, description: 'What was out of the ordinary, if anything.' })
  declare exception: PaymentException | null;

  @Field(() => Boolean, { nullable: true, description: 'The `test` mark of a sandbox payment; null in live.' })
  declare test: boolean | null;

  @Field(() => String, { nullable: true, description: "The merchant's own reference." })
  declare merchantOrderId: string | null;

  @Field(() => String, { nullable: true, description: 'What is paid for, shown to the customer.' })
  declare productName: string | null;

  @Field(() => String, { nullable: true, description: "The customer's e-mail address." })
  declare customerEmail: string | null;

  @Field(() => String, { nullable: true, description: "A URL that receives this payment's webhooks too." })
  declare callbackUrl: string | null;

  @Field(() => String, { nullable: true, description: 'Where the payment page sends the customer afterwards.' })
  declare returnUrl: string | null;

  @Field(() => GraphQLJSONObject, { nullable: true, description: "The merchant's own data, texts by name." })
  declare metadata: Record<string, string> | null;

  @Field(() => String, { description: 'What was seen, confirmed or not.' })
  declare amountReceived: string;

  @Field(() => String, { description: "What was confirmed and credited to the merchant's balance, before the fee." })
  declare amountConfirmed: string;

  @Field(() => String, { description: 'What was refunded.' })
  declare amountRefunded: string;

  @Field(() => String, { description: 'The fee on what was confirmed, 1 percent rounded down.' })
  declare feeAmount: string;

  @Field(() => Int, { description: 'Confirmations of the money that is due, as of now.' })
  declare confirmations: number;

  @Field(() => Int, { description: 'Confirmations it takes.' })
  declare requiredConfirmations: number;

  @Field(() => [Transaction], { description: 'The transactions that pay it, oldest first.' })
  declare transactions: readonly TransactionSnapshot[];

  @Field(() => Date, { description: 'When its state or an amount last changed.' })
  declare updatedAt: Date;

  @Field(() => Date, { nullable: true, description: 'When it first succeeded.' })
  declare completedAt: Date | null;

  @Field(() => ID, { nullable: true, description: 'The invoice that it belongs to, `inv_…`; null for one of its own.' })
  declare invoiceId: string | null;
}

@InputType({ description: 'A payment order to create.' })
@CheckedTogether(decimalsOfAsset('ORDER'))
export class CreatePaymentInput {
  @Field(() => String, { description: 'A decimal string greater than zero, such as "25.00".' })
  @Checked(checks.amount)
  declare amount: string;

  @Field(() => String, { description: 'A currency code, in any case.' })
  @Checked(checks.text(20))
  declare currency: string;

  @Field(() => String, { description: 'A network code or alias, in any case.' })
  @Checked(checks.text(20))
  declare network: string;

  @Field(() => String, { nullable: true, description: 'Your own reference; need not be unique.' })
  @Checked(checks.text(255))
  declare merchantOrderId?: string | null;

  @Field(() => String, { nullable: true, description: 'What is paid for, shown to the customer.' })
  @Checked(checks.text(255))
  declare productName?: string | null;

  @Field(() => String, { nullable: true, description: "The customer's e-mail address." })
  @Checked(checks.email)
  declare customerEmail?: string | null;

  @Field(() => String, { nullable: true, description: "A URL that is to receive this payment's webhooks too." })
  @Checked(checks.webhookUrl)
  declare callbackUrl?: string | null;

  @Field(() => String, { nullable: true, description: 'Where the payment page sends the customer afterwards.' })
  @Checked(checks.browserUrl)
  declare returnUrl?: string | null;

  @Field(() => GraphQLJSONObject, { nullable: true, description: 'Your own data: at most 20 texts by name.' })
  @Checked(checks.metadata)
  @CheckedEntries(checks.metadataEntry)
  declare metadata?: Record<string, string> | null;

  @Field(() => Boolean, { nullable: true, description: 'A mark of your own for tests; sandbox only.' })
  @SandboxOnly()
  declare test?: boolean | null;
}

@InputType({ description: 'Which payments to list; what is left out does not narrow.' })
export class PaymentFilter {
  @Field(() => [PaymentStatusEnum], { nullable: true, description: 'In one of these states.' })
  declare status?: PaymentStatus[] | null;

  @Field(() => String, { nullable: true, description: 'In this currency.' })
  @Checked(checks.text(20))
  declare currency?: string | null;

  @Field(() => String, { nullable: true, description: 'On this network.' })
  @Checked(checks.text(20))
  declare network?: string | null;

  @Field(() => String, { nullable: true, description: 'With this reference of your own.' })
  @Checked(checks.text(255))
  declare merchantOrderId?: string | null;

  @Field(() => ID, { nullable: true, description: 'Of this invoice.' })
  declare invoiceId?: string | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      'Waiting for a decision of yours: too little, too much or late money that was neither accepted nor given back, or money that left the chain.',
  })
  declare needsAttention?: boolean | null;

  @Field(() => String, { nullable: true, description: 'Created at or after: YYYY-MM-DD or ISO 8601.' })
  @Checked(checks.date)
  declare startDate?: string | null;

  @Field(() => String, { nullable: true, description: 'Created before; a bare date is included.' })
  @Checked(checks.date)
  declare endDate?: string | null;
}
