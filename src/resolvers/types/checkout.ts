// GraphQL type of a checkout: the payment page's public view of a payment, with nothing private.

import { Field, ID, Int, ObjectType } from 'type-graphql';
import type { TransactionSnapshot } from '../../domain/snapshots/payment.ts';
import {
  PaymentExceptionEnum,
  PaymentStatusEnum,
  type PaymentException,
  type PaymentStatus,
} from '../../entities/enums.ts';
import { Transaction } from './payment.ts';

@ObjectType({ description: 'What a customer sees of a payment.', simpleResolvers: true })
export class Checkout {
  @Field(() => ID, { description: 'The order id, `ord_…`.' })
  declare id: string;

  @Field(() => PaymentStatusEnum, { description: 'Where the payment stands.' })
  declare status: PaymentStatus;

  @Field(() => PaymentExceptionEnum, { nullable: true, description: 'What was out of the ordinary, if anything.' })
  declare exception: PaymentException | null;

  @Field(() => String, { description: 'What is asked for, a decimal string.' })
  declare amount: string;

  @Field(() => String, { description: 'The currency code.' })
  declare currency: string;

  @Field(() => String, { description: 'The canonical network code.' })
  declare network: string;

  @Field(() => String, { description: "The network's name in words." })
  declare networkName: string;

  @Field(() => Boolean, { description: 'Whether it is the main network, whose coins are real money.' })
  declare isMainNetwork?: boolean;

  @Field(() => String, { nullable: true, description: "The token's contract, or mint; null for the network's coin." })
  declare tokenContract: string | null;

  @Field(() => String, { description: 'The address to pay to.' })
  declare address: string;

  @Field(() => String, {
    description: 'A payment URI for wallets, for what is due (for the full amount when nothing is).',
  })
  declare paymentUri: string;

  @Field(() => String, { description: 'What was seen, confirmed or not.' })
  declare amountReceived: string;

  @Field(() => String, { description: 'What is still asked for, "0" when nothing is.' })
  declare amountDue: string;

  @Field(() => String, {
    nullable: true,
    description:
      'About what is due is worth at the moment (the full amount when nothing is); null for invoices, which have a price, and without a rate.',
  })
  declare value: string | null;

  @Field(() => String, {
    nullable: true,
    description: "That value's currency: the one of the merchant's books, or USD.",
  })
  declare valueCurrency: string | null;

  @Field(() => Int, { description: 'Confirmations of the money that is due, as of now.' })
  declare confirmations: number;

  @Field(() => Int, { description: 'Confirmations it takes.' })
  declare requiredConfirmations: number;

  @Field(() => Date, { description: 'Until when the payment must arrive.' })
  declare expiresAt: Date;

  @Field(() => Date, { description: 'When it was created.' })
  declare createdAt: Date;

  @Field(() => Date, { nullable: true, description: 'When it succeeded first; null until then.' })
  declare completedAt: Date | null;

  @Field(() => [Transaction], { description: 'The transactions that pay it, oldest first.' })
  declare transactions: readonly TransactionSnapshot[];

  @Field(() => String, { description: "The merchant's name." })
  declare companyName: string;

  @Field(() => String, { nullable: true, description: "The merchant's logo." })
  declare logoUrl: string | null;

  @Field(() => String, { nullable: true, description: "The merchant's colour, `#rrggbb`." })
  declare accentColor: string | null;

  @Field(() => String, { nullable: true, description: 'The language that the merchant chose for their customers.' })
  declare locale: string | null;

  @Field(() => String, { nullable: true, description: 'Where customers reach the merchant, if the merchant set it.' })
  declare supportEmail: string | null;

  @Field(() => String, { nullable: true, description: 'What is paid for.' })
  declare productName: string | null;

  @Field(() => String, { nullable: true, description: "The merchant's reference." })
  declare merchantOrderId: string | null;

  @Field(() => String, { nullable: true, description: 'Where to go afterwards.' })
  declare returnUrl: string | null;

  @Field(() => Boolean, { description: 'Whether it is marked as a test.' })
  declare test: boolean;
}
