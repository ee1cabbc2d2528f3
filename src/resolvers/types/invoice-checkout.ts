// GraphQL types of an invoice's public page: what may be chosen and what was, with nothing private.

import { Field, ID, ObjectType } from 'type-graphql';
import {
  InvoiceStatusEnum,
  OptionStateEnum,
  PaymentExceptionEnum,
  type InvoiceStatus,
  type OptionState,
  type PaymentException,
} from '../../entities/enums.ts';
import { Checkout } from './checkout.ts';

@ObjectType({ description: 'A coin on a network that may be chosen, or why it may not.', simpleResolvers: true })
export class CheckoutOption {
  @Field(() => String, { description: 'The currency code.' })
  declare currency: string;

  @Field(() => String, { description: 'The canonical network code.' })
  declare network: string;

  @Field(() => String, { description: "The network's name in words." })
  declare networkName: string;

  @Field(() => OptionStateEnum, { description: 'Whether it may be chosen at the moment.' })
  declare state: OptionState;

  @Field(() => String, {
    nullable: true,
    description: 'About what would be asked for, a decimal string; null where there is no rate or nothing is due.',
  })
  declare approximateAmount: string | null;
}

@ObjectType({ description: 'A choice, and the payment made for it.', simpleResolvers: true })
export class InvoiceCheckoutPayment {
  @Field(() => Checkout, { description: 'The payment as its customer sees it.' })
  declare checkout: Checkout;

  @Field(() => String, { description: "The quoted price of one unit of the coin, in the price's currency." })
  declare rate: string;

  @Field(() => Date, { description: 'When that rate was fixed.' })
  declare quotedAt: Date;

  @Field(() => Date, { description: 'Until when that rate holds.' })
  declare quoteExpiresAt: Date;

  @Field(() => Boolean, { description: 'Whether it is the one to pay now.' })
  declare isCurrent: boolean;
}

@ObjectType({ description: 'What a customer sees of an invoice.', simpleResolvers: true })
export class InvoiceCheckout {
  @Field(() => ID, { description: 'The invoice id, `inv_…`.' })
  declare id: string;

  @Field(() => InvoiceStatusEnum, { description: 'Where the invoice stands.' })
  declare status: InvoiceStatus;

  @Field(() => PaymentExceptionEnum, { nullable: true, description: 'What was out of the ordinary, if anything.' })
  declare exception: PaymentException | null;

  @Field(() => String, { description: 'The price, a decimal string.' })
  declare amount: string;

  @Field(() => String, { description: "The price's currency: an ISO 4217 code or a coin's." })
  declare currency: string;

  @Field(() => String, { description: "What was seen, confirmed or not, in the price's currency." })
  declare amountReceived: string;

  @Field(() => String, { description: 'What is still asked for, "0" when nothing is.' })
  declare amountDue: string;

  @Field(() => String, { nullable: true, description: 'What is paid for.' })
  declare description: string | null;

  @Field(() => String, { nullable: true, description: "The merchant's reference." })
  declare merchantInvoiceId: string | null;

  @Field(() => String, { description: "The merchant's name." })
  declare companyName: string;

  @Field(() => String, { nullable: true, description: "The merchant's logo." })
  declare logoUrl: string | null;

  @Field(() => String, { nullable: true, description: "The merchant's colour, `#rrggbb`." })
  declare accentColor: string | null;

  @Field(() => String, { nullable: true, description: "The page's language, if the merchant set one." })
  declare locale: string | null;

  @Field(() => String, { nullable: true, description: 'Where customers reach the merchant, if the merchant set it.' })
  declare supportEmail: string | null;

  @Field(() => String, { nullable: true, description: 'Where to go afterwards.' })
  declare returnUrl: string | null;

  @Field(() => Boolean, { description: 'Whether it is marked as a test.' })
  declare test: boolean;

  @Field(() => Date, { description: 'When it was created.' })
  declare createdAt: Date;

  @Field(() => Date, { description: 'Until when a coin may be chosen and the money must arrive.' })
  declare expiresAt: Date;

  @Field(() => Date, { nullable: true, description: 'When it was settled first; null until then.' })
  declare settledAt: Date | null;

  @Field(() => [CheckoutOption], { description: 'What it may be paid in.' })
  declare options: readonly CheckoutOption[];

  @Field(() => [InvoiceCheckoutPayment], { description: 'What was chosen so far, oldest first.' })
  declare payments: readonly InvoiceCheckoutPayment[];
}
