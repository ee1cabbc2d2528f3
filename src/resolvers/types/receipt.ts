// GraphQL types of receipts: credited deposits, with what they were worth in the currency of a merchant's books.

import { Field, ID, InputType, ObjectType } from 'type-graphql';
import * as checks from '../../values/checks.ts';
import { Checked } from '../operation/validation.ts';
import { PageInfo } from './page.ts';

@ObjectType({
  description: 'A deposit that was credited, with what it was worth when it was mined.',
  simpleResolvers: true,
})
export class Receipt {
  @Field(() => ID, { description: 'The id of its entry in the book.' })
  declare id: string;

  @Field(() => Date, { description: 'When it was first credited.' })
  declare creditedAt: Date;

  @Field(() => ID, { description: 'The order id of its payment.' })
  declare orderId: string;

  @Field(() => ID, { nullable: true, description: 'The invoice that the payment belongs to.' })
  declare invoiceId: string | null;

  @Field(() => String, { nullable: true, description: "The payment's reference of your own." })
  declare merchantOrderId: string | null;

  @Field(() => String, { nullable: true, description: "The invoice's reference of your own." })
  declare merchantInvoiceId: string | null;

  @Field(() => String, { description: 'The transaction that brought it.' })
  declare txHash: string;

  @Field(() => String, { description: 'The currency code.' })
  declare currency: string;

  @Field(() => String, { description: 'The canonical network code.' })
  declare network: string;

  @Field(() => String, { description: 'What arrived, a decimal string.' })
  declare amount: string;

  @Field(() => String, { description: 'Our fee.' })
  declare fee: string;

  @Field(() => String, { description: '`amount` less `fee`.' })
  declare net: string;

  @Field(() => String, {
    nullable: true,
    description: "Your books' currency then, else that of the invoice; null for neither.",
  })
  declare fiatCurrency: string | null;

  @Field(() => String, { nullable: true, description: 'The market rate then; null for good where there was none.' })
  declare rate: string | null;

  @Field(() => Date, { nullable: true, description: 'When the market said so.' })
  declare rateAt: Date | null;

  @Field(() => String, { nullable: true, description: '`amount` at that rate, rounded half up.' })
  declare fiatAmount: string | null;

  @Field(() => String, { nullable: true, description: '`fee` at that rate, rounded half up.' })
  declare fiatFee: string | null;

  @Field(() => String, { nullable: true, description: '`fiatAmount` less `fiatFee`.' })
  declare fiatNet: string | null;

  @Field(() => Date, { nullable: true, description: 'When the credit was taken back, as the transaction was lost.' })
  declare reversedAt: Date | null;
}

@InputType({ description: 'Which receipts to list; what is left out does not narrow.' })
export class ReceiptFilter {
  @Field(() => String, { nullable: true, description: 'Credited at or after: YYYY-MM-DD or ISO 8601.' })
  @Checked(checks.date)
  declare startDate?: string | null;

  @Field(() => String, { nullable: true, description: 'Credited before; a bare date is included.' })
  @Checked(checks.date)
  declare endDate?: string | null;

  @Field(() => ID, { nullable: true, description: 'Of this payment.' })
  declare orderId?: string | null;

  @Field(() => ID, { nullable: true, description: 'Of the payments of this invoice.' })
  declare invoiceId?: string | null;
}

@ObjectType({ description: 'A receipt in a list.', simpleResolvers: true })
export class ReceiptEdge {
  @Field(() => String, { description: 'Its cursor: the list goes on after it.' })
  declare cursor: string;

  @Field(() => Receipt, { description: 'The receipt.' })
  declare node: Receipt;
}

@ObjectType({ description: 'A page of receipts, newest first.', simpleResolvers: true })
export class ReceiptConnection {
  @Field(() => [ReceiptEdge], { description: 'The receipts with their cursors.' })
  declare edges: ReceiptEdge[];

  @Field(() => [Receipt], { description: 'The receipts.' })
  declare nodes: Receipt[];

  @Field(() => PageInfo, { description: 'Where this page stands.' })
  declare pageInfo: PageInfo;
}
