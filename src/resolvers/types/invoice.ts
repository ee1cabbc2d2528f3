// GraphQL types of invoices: what is asked for in a shop's currency, the quotes made for it, and what pays them.

import { GraphQLJSONObject } from 'graphql-scalars';
import { Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import type { InvoicePaymentSnapshot, InvoiceTransactionSnapshot } from '../../domain/snapshots/invoice.ts';
import {
  InvoiceStatusEnum,
  PaymentExceptionEnum,
  PaymentStatusEnum,
  type InvoiceStatus,
  type PaymentException,
  type PaymentStatus,
} from '../../entities/enums.ts';
import * as checks from '../../values/checks.ts';
import { MostlyOne } from '../operation/context.ts';
import { acceptedAssetCount, assetsNamedTwice, MOST_ACCEPTED_ASSETS, priceFaults } from '../operation/price-checks.ts';
import { Checked, CheckedEntries, CheckedTogether, SandboxOnly } from '../operation/validation.ts';
import { PageInfo } from './page.ts';
import { Transaction } from './payment.ts';

@ObjectType({ description: 'A coin on a network that an invoice may be paid in.', simpleResolvers: true })
export class AcceptedAsset {
  @Field(() => String, { description: 'The currency code.' })
  declare currency: string;

  @Field(() => String, { description: 'The canonical network code.' })
  declare network: string;
}

@InputType({ description: 'A coin on a network that may be paid in.' })
export class AcceptedAssetInput {
  @Field(() => String, { description: 'A currency code, in any case.' })
  @Checked(checks.text(20))
  declare currency: string;

  @Field(() => String, { description: 'A network code or alias, in any case.' })
  @Checked(checks.text(20))
  declare network: string;
}

@ObjectType({ description: 'A transaction that pays a quote, with what it is worth.', simpleResolvers: true })
export class InvoiceTransaction extends Transaction {
  @Field(() => String, { description: "Price of one unit of the coin, in the price's currency, that it counts at." })
  declare rate: string;

  @Field(() => String, { description: "What it is worth in the price's currency, rounded down to its decimals." })
  declare value: string;
}

@ObjectType({ description: 'A quote and the payment made for it.', simpleResolvers: true })
export class InvoicePayment {
  @Field(() => ID, { description: 'The order id, `ord_…`.' })
  declare id: string;

  @Field(() => String, { description: 'The currency code of the coin.' })
  declare currency: string;

  @Field(() => String, { description: 'The canonical network code.' })
  declare network: string;

  @Field(() => String, { description: "The deposit address, this payment's alone." })
  declare address: string;

  @Field(() => String, { description: 'What is asked for in the coin, a decimal string.' })
  declare amount: string;

  @Field(() => PaymentStatusEnum, { description: "Where the payment stands; the invoice's own state counts." })
  declare status: PaymentStatus;

  @Field(() => PaymentExceptionEnum, { nullable: true, description: 'What was out of the ordinary, if anything.' })
  declare exception: PaymentException | null;

  @Field(() => String, { description: "The quoted price of one unit of the coin, in the price's currency." })
  declare rate: string;

  @Field(() => String, { nullable: true, description: "The market's rate at that moment; null for a fixed rate." })
  declare marketRate: string | null;

  @Field(() => Int, { description: 'The spread between the two, in basis points.' })
  declare spread: number;

  @Field(() => [String], { description: 'Where the rate came from: feeds, `fixed` or `sandbox`.' })
  declare sources: readonly string[];

  @Field(() => Date, { description: 'When the coin was chosen.' })
  declare quotedAt: Date;

  @Field(() => Date, { description: 'Until when the quoted rate holds.' })
  declare quoteExpiresAt: Date;

  @Field(() => String, { description: 'What was seen in the coin, confirmed or not.' })
  declare amountReceived: string;

  @Field(() => String, { description: 'What was confirmed in the coin, before the fee.' })
  declare amountConfirmed: string;

  @Field(() => String, { description: 'What was refunded in the coin.' })
  declare amountRefunded: string;

  @Field(() => String, { description: "What was seen, in the price's currency." })
  declare valueReceived: string;

  @Field(() => String, { description: "What was confirmed, in the price's currency." })
  declare valueConfirmed: string;

  @MostlyOne()
  @Field(() => [InvoiceTransaction], { description: 'The transactions that pay it, oldest first.' })
  declare transactions: readonly InvoiceTransactionSnapshot[];
}

@ObjectType({ description: 'An invoice: a price, paid in coins that the customer chooses.', simpleResolvers: true })
export class Invoice {
  @Field(() => ID, { description: 'The invoice id, `inv_…`.' })
  declare id: string;

  @Field(() => InvoiceStatusEnum, { description: 'Where the invoice stands.' })
  declare status: InvoiceStatus;

  @Field(() => PaymentExceptionEnum, { nullable: true, description: 'What was out of the ordinary, if anything.' })
  declare exception: PaymentException | null;

  @Field(() => Boolean, { nullable: true, description: 'The `test` mark of a sandbox invoice; null in live.' })
  declare test: boolean | null;

  @Field(() => String, { description: 'The price, a decimal string.' })
  declare amount: string;

  @Field(() => String, { description: "The price's currency: an ISO 4217 code or a coin's." })
  declare currency: string;

  @Field(() => [AcceptedAsset], { nullable: true, description: 'What it may be paid in; null: all that is taken.' })
  declare acceptedAssets: readonly AcceptedAsset[] | null;

  @Field(() => String, { nullable: true, description: 'What is paid for, shown to the customer.' })
  declare description: string | null;

  @Field(() => String, { nullable: true, description: "The merchant's own reference, unique for good." })
  declare merchantInvoiceId: string | null;

  @Field(() => ID, { nullable: true, description: 'The payment link that it came by, `lnk_…`.' })
  declare linkId: string | null;

  @Field(() => String, { nullable: true, description: "The customer's e-mail address." })
  declare customerEmail: string | null;

  @Field(() => GraphQLJSONObject, { nullable: true, description: "What the customer filled in at a link's form." })
  declare customer: Record<string, string> | null;

  @Field(() => String, { nullable: true, description: 'Where the page sends the customer afterwards.' })
  declare returnUrl: string | null;

  @Field(() => String, { nullable: true, description: "A URL that receives this invoice's webhooks too." })
  declare callbackUrl: string | null;

  @Field(() => GraphQLJSONObject, { nullable: true, description: "The merchant's own data, texts by name." })
  declare metadata: Record<string, string> | null;

  @Field(() => String, { description: 'The hosted page to send the customer to.' })
  declare invoiceUrl: string;

  @Field(() => String, { description: "What was seen, confirmed or not, in the price's currency; rounded down." })
  declare amountReceived: string;

  @Field(() => String, { description: "What was confirmed, in the price's currency; rounded down." })
  declare amountConfirmed: string;

  @Field(() => String, { description: "What was refunded, in the price's currency; rounded down." })
  declare amountRefunded: string;

  @Field(() => String, { description: 'What is still asked for, "0" when nothing is; rounded up.' })
  declare amountDue: string;

  @MostlyOne()
  @Field(() => [InvoicePayment], { description: 'Its quotes with their payments, oldest first.' })
  declare payments: readonly InvoicePaymentSnapshot[];

  @Field(() => Date, { description: 'Until when a coin may be chosen and the money must arrive.' })
  declare expiresAt: Date;

  @Field(() => Date, { description: 'When it was created.' })
  declare createdAt: Date;

  @Field(() => Date, { description: 'When its state, an amount or a quote last changed.' })
  declare updatedAt: Date;

  @Field(() => Date, { nullable: true, description: 'When it was first settled.' })
  declare settledAt: Date | null;
}

@InputType({ description: 'An invoice to create.' })
@CheckedTogether((fields) => [...priceFaults(fields), ...assetsNamedTwice(fields)])
export class CreateInvoiceInput {
  @Field(() => String, { description: 'The price: a decimal string greater than zero, such as "49.90".' })
  @Checked(checks.amount)
  declare amount: string;

  @Field(() => String, { description: "An ISO 4217 code, or a coin's code without its network; in any case." })
  @Checked(checks.text(20))
  declare currency: string;

  @Field(() => [AcceptedAssetInput], {
    nullable: true,
    description: `What it may be paid in: 1 to ${MOST_ACCEPTED_ASSETS}; if left out, what your settings say.`,
  })
  @Checked(acceptedAssetCount)
  declare acceptedAssets?: AcceptedAssetInput[] | null;

  @Field(() => String, { nullable: true, description: 'What is paid for, shown to the customer.' })
  @Checked(checks.text(255))
  declare description?: string | null;

  @Field(() => String, { nullable: true, description: 'Your own reference; unique for good.' })
  @Checked(checks.text(255))
  declare merchantInvoiceId?: string | null;

  @Field(() => String, { nullable: true, description: "The customer's e-mail address." })
  @Checked(checks.email)
  declare customerEmail?: string | null;

  @Field(() => String, { nullable: true, description: 'Where the page sends the customer afterwards.' })
  @Checked(checks.browserUrl)
  declare returnUrl?: string | null;

  @Field(() => String, { nullable: true, description: "A URL that is to receive this invoice's webhooks too." })
  @Checked(checks.webhookUrl)
  declare callbackUrl?: string | null;

  @Field(() => GraphQLJSONObject, { nullable: true, description: 'Your own data: at most 20 texts by name.' })
  @Checked(checks.metadata)
  @CheckedEntries(checks.metadataEntry)
  declare metadata?: Record<string, string> | null;

  @Field(() => Int, { nullable: true, description: '5 to 43,200; if left out, what your settings say.' })
  @Checked(checks.whole(5, 43_200))
  declare expirationMinutes?: number | null;

  @Field(() => Boolean, { nullable: true, description: 'A mark of your own for tests; sandbox only.' })
  @SandboxOnly()
  declare test?: boolean | null;
}

@InputType({ description: 'Which invoices to list; what is left out does not narrow.' })
export class InvoiceFilter {
  @Field(() => [InvoiceStatusEnum], { nullable: true, description: 'In one of these states.' })
  declare status?: InvoiceStatus[] | null;

  @Field(() => String, { nullable: true, description: 'With a price in this currency.' })
  @Checked(checks.text(20))
  declare currency?: string | null;

  @Field(() => String, { nullable: true, description: 'With this reference of your own.' })
  @Checked(checks.text(255))
  declare merchantInvoiceId?: string | null;

  @Field(() => ID, { nullable: true, description: 'Made by this payment link.' })
  declare linkId?: string | null;

  @Field(() => Boolean, { nullable: true, description: 'Waiting for a decision of yours, as payments do.' })
  declare needsAttention?: boolean | null;

  @Field(() => String, { nullable: true, description: 'Created at or after: YYYY-MM-DD or ISO 8601.' })
  @Checked(checks.date)
  declare startDate?: string | null;

  @Field(() => String, { nullable: true, description: 'Created before; a bare date is included.' })
  @Checked(checks.date)
  declare endDate?: string | null;
}

@InputType({ description: 'The coin that a customer pays an invoice in.' })
export class ChooseAssetInput {
  @Field(() => ID, { description: 'The invoice id, `inv_…`.' })
  declare invoiceId: string;

  @Field(() => String, { description: 'A currency code, in any case.' })
  @Checked(checks.text(20))
  declare currency: string;

  @Field(() => String, { description: 'A network code or alias, in any case.' })
  @Checked(checks.text(20))
  declare network: string;
}

@ObjectType({ description: 'An invoice in a list.', simpleResolvers: true })
export class InvoiceEdge {
  @Field(() => String, { description: 'Its cursor: the list goes on after it.' })
  declare cursor: string;

  @Field(() => Invoice, { description: 'The invoice.' })
  declare node: Invoice;
}

@ObjectType({ description: 'A page of invoices, newest first.', simpleResolvers: true })
export class InvoiceConnection {
  @Field(() => [InvoiceEdge], { description: 'The invoices with their cursors.' })
  declare edges: InvoiceEdge[];

  @Field(() => [Invoice], { description: 'The invoices.' })
  declare nodes: Invoice[];

  @Field(() => PageInfo, { description: 'Where this page stands.' })
  declare pageInfo: PageInfo;
}
