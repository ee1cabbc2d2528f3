// GraphQL types of payment links: what a merchant sets, and what the customers of its page see.

import { GraphQLJSONObject } from 'graphql-scalars';
import { Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import { LinkFieldEnum, type LinkField } from '../../entities/enums.ts';
import * as checks from '../../values/checks.ts';
import { acceptedAssetCount, assetsNamedTwice, MOST_ACCEPTED_ASSETS, priceFaults } from '../operation/price-checks.ts';
import { Checked, CheckedEntries, CheckedTogether, NeverNull } from '../operation/validation.ts';
import { AcceptedAsset, AcceptedAssetInput } from './invoice.ts';
import { PageInfo } from './page.ts';

/** Each field once. */
const linkFields: checks.Check = checks.bounded({ uniqueItems: true }, (value) =>
  Array.isArray(value) && new Set(value).size < value.length ? 'must not name a field twice' : null,
);

const MOST_USES = 1_000_000_000;

@ObjectType({
  description: 'A page that makes an invoice for each customer who fills in its form.',
  simpleResolvers: true,
})
export class PaymentLink {
  @Field(() => ID, { description: 'The link id, `lnk_…`.' })
  declare id: string;

  @Field(() => String, { description: 'The page to send customers to.' })
  declare url: string;

  @Field(() => String, { description: 'A name for you alone.' })
  declare name: string;

  @Field(() => String, { nullable: true, description: 'What is paid for, shown to customers.' })
  declare description: string | null;

  @Field(() => String, { nullable: true, description: 'The price, a decimal string; null where customers say it.' })
  declare amount: string | null;

  @Field(() => String, { description: "The price's currency: an ISO 4217 code or a coin's." })
  declare currency: string;

  @Field(() => String, { nullable: true, description: 'The least that a customer may say.' })
  declare minAmount: string | null;

  @Field(() => String, { nullable: true, description: 'The most that a customer may say.' })
  declare maxAmount: string | null;

  @Field(() => [AcceptedAsset], { nullable: true, description: 'What may be paid in; null: all that is taken.' })
  declare acceptedAssets: readonly AcceptedAsset[] | null;

  @Field(() => [LinkFieldEnum], { description: 'What the form asks for, and does without for nobody.' })
  declare requiredFields: readonly LinkField[];

  @Field(() => [LinkFieldEnum], { description: 'What the form asks for besides.' })
  declare optionalFields: readonly LinkField[];

  @Field(() => Int, { nullable: true, description: 'After so many uses it takes no more; null: as many as come.' })
  declare maxUses: number | null;

  @Field(() => Int, { description: 'How many of its invoices are processing, settled or refunded.' })
  declare uses: number;

  @Field(() => Date, { nullable: true, description: 'From then on it takes no more; null: never.' })
  declare endsAt: Date | null;

  @Field(() => Boolean, { description: 'Whether it takes anything.' })
  declare enabled: boolean;

  @Field(() => String, { nullable: true, description: 'Where the page sends customers afterwards.' })
  declare returnUrl: string | null;

  @Field(() => String, { nullable: true, description: "A URL that receives its invoices' webhooks too." })
  declare callbackUrl: string | null;

  @Field(() => GraphQLJSONObject, { nullable: true, description: 'Your own data, which its invoices carry.' })
  declare metadata: Record<string, string> | null;

  @Field(() => Int, { nullable: true, description: "How long its invoices live; null: your settings' time." })
  declare expirationMinutes: number | null;

  @Field(() => Date, { description: 'When it was created.' })
  declare createdAt: Date;

  @Field(() => Date, { description: 'When it was last changed.' })
  declare updatedAt: Date;
}

@InputType({ description: 'A payment link to create.' })
@CheckedTogether((fields) => [...priceFaults(fields), ...assetsNamedTwice(fields)])
export class CreatePaymentLinkInput {
  @Field(() => String, { description: 'A name for you alone.' })
  @Checked(checks.text(255))
  declare name: string;

  @Field(() => String, { nullable: true, description: 'What is paid for, shown to customers.' })
  @Checked(checks.text(255))
  declare description?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'The price: a decimal string greater than zero; if left out, customers say how much.',
  })
  @Checked(checks.amount)
  declare amount?: string | null;

  @Field(() => String, { description: "An ISO 4217 code, or a coin's code without its network; in any case." })
  @Checked(checks.text(20))
  declare currency: string;

  @Field(() => String, { nullable: true, description: 'The least that a customer may say, at a link without amount.' })
  @Checked(checks.amount)
  declare minAmount?: string | null;

  @Field(() => String, { nullable: true, description: 'The most that a customer may say, at a link without amount.' })
  @Checked(checks.amount)
  declare maxAmount?: string | null;

  @Field(() => [AcceptedAssetInput], {
    nullable: true,
    description: `What may be paid in: 1 to ${MOST_ACCEPTED_ASSETS}; null: what your settings say.`,
  })
  @Checked(acceptedAssetCount)
  declare acceptedAssets?: AcceptedAssetInput[] | null;

  @Field(() => [LinkFieldEnum], { nullable: true, description: 'What the form requires, each once.' })
  @Checked(linkFields)
  declare requiredFields?: LinkField[] | null;

  @Field(() => [LinkFieldEnum], { nullable: true, description: 'What the form asks for besides, each once.' })
  @Checked(linkFields)
  declare optionalFields?: LinkField[] | null;

  @Field(() => Int, { nullable: true, description: 'After so many uses it takes no more: at least 1.' })
  @Checked(checks.whole(1, MOST_USES))
  declare maxUses?: number | null;

  @Field(() => Date, { nullable: true, description: 'From then on it takes no more: ISO 8601.' })
  declare endsAt?: Date | null;

  @Field(() => Boolean, { nullable: true, description: 'Whether it takes anything; a new one does.' })
  declare enabled?: boolean | null;

  @Field(() => String, { nullable: true, description: 'Where the page sends customers afterwards.' })
  @Checked(checks.browserUrl)
  declare returnUrl?: string | null;

  @Field(() => String, { nullable: true, description: "A URL that is to receive its invoices' webhooks too." })
  @Checked(checks.webhookUrl)
  declare callbackUrl?: string | null;

  @Field(() => GraphQLJSONObject, { nullable: true, description: 'Your own data: at most 20 texts by name.' })
  @Checked(checks.metadata)
  @CheckedEntries(checks.metadataEntry)
  declare metadata?: Record<string, string> | null;

  @Field(() => Int, { nullable: true, description: 'How long its invoices live: 5 to 43,200.' })
  @Checked(checks.whole(5, 43_200))
  declare expirationMinutes?: number | null;
}

@InputType({ description: 'What to change of a payment link; what is left out stays, and so do price and currency.' })
@CheckedTogether(assetsNamedTwice)
export class UpdatePaymentLinkInput {
  @Field(() => String, { nullable: true, description: 'A name for you alone.' })
  @Checked(checks.text(255))
  @NeverNull()
  declare name?: string | null;

  @Field(() => String, { nullable: true, description: 'What is paid for, shown to customers.' })
  @Checked(checks.text(255))
  declare description?: string | null;

  @Field(() => String, { nullable: true, description: 'The least that a customer may say, at a link without amount.' })
  @Checked(checks.amount)
  declare minAmount?: string | null;

  @Field(() => String, { nullable: true, description: 'The most that a customer may say, at a link without amount.' })
  @Checked(checks.amount)
  declare maxAmount?: string | null;

  @Field(() => [AcceptedAssetInput], {
    nullable: true,
    description: `What may be paid in: 1 to ${MOST_ACCEPTED_ASSETS}; null: what your settings say.`,
  })
  @Checked(acceptedAssetCount)
  declare acceptedAssets?: AcceptedAssetInput[] | null;

  @Field(() => [LinkFieldEnum], { nullable: true, description: 'What the form requires, each once.' })
  @Checked(linkFields)
  @NeverNull()
  declare requiredFields?: LinkField[] | null;

  @Field(() => [LinkFieldEnum], { nullable: true, description: 'What the form asks for besides, each once.' })
  @Checked(linkFields)
  @NeverNull()
  declare optionalFields?: LinkField[] | null;

  @Field(() => Int, { nullable: true, description: 'After so many uses it takes no more: at least 1.' })
  @Checked(checks.whole(1, MOST_USES))
  declare maxUses?: number | null;

  @Field(() => Date, { nullable: true, description: 'From then on it takes no more: ISO 8601.' })
  declare endsAt?: Date | null;

  @Field(() => Boolean, { nullable: true, description: 'Whether it takes anything; a new one does.' })
  @NeverNull()
  declare enabled?: boolean | null;

  @Field(() => String, { nullable: true, description: 'Where the page sends customers afterwards.' })
  @Checked(checks.browserUrl)
  declare returnUrl?: string | null;

  @Field(() => String, { nullable: true, description: "A URL that is to receive its invoices' webhooks too." })
  @Checked(checks.webhookUrl)
  declare callbackUrl?: string | null;

  @Field(() => GraphQLJSONObject, { nullable: true, description: 'Your own data: at most 20 texts by name.' })
  @Checked(checks.metadata)
  @CheckedEntries(checks.metadataEntry)
  declare metadata?: Record<string, string> | null;

  @Field(() => Int, { nullable: true, description: 'How long its invoices live: 5 to 43,200.' })
  @Checked(checks.whole(5, 43_200))
  declare expirationMinutes?: number | null;
}

@ObjectType({ description: 'What a customer sees of a payment link.', simpleResolvers: true })
export class LinkCheckout {
  @Field(() => ID, { description: 'The link id, `lnk_…`.' })
  declare id: string;

  @Field(() => String, { nullable: true, description: 'What is paid for.' })
  declare description: string | null;

  @Field(() => String, { nullable: true, description: 'The price, a decimal string; null where the customer says it.' })
  declare amount: string | null;

  @Field(() => String, { description: "The price's currency: an ISO 4217 code or a coin's." })
  declare currency: string;

  @Field(() => String, { nullable: true, description: 'The least that may be said.' })
  declare minAmount: string | null;

  @Field(() => String, { nullable: true, description: 'The most that may be said.' })
  declare maxAmount: string | null;

  @Field(() => [LinkFieldEnum], { description: 'What the form requires.' })
  declare requiredFields: readonly LinkField[];

  @Field(() => [LinkFieldEnum], { description: 'What the form asks for besides.' })
  declare optionalFields: readonly LinkField[];

  @Field(() => Boolean, { description: 'Whether it takes a submission at the moment.' })
  declare isOpen: boolean;

  @Field(() => String, { description: "The merchant's name." })
  declare companyName: string;

  @Field(() => String, { nullable: true, description: "The merchant's logo." })
  declare logoUrl: string | null;

  @Field(() => String, { nullable: true, description: "The merchant's colour, `#rrggbb`." })
  declare accentColor: string | null;

  @Field(() => String, { nullable: true, description: "The page's language, if the merchant set one." })
  declare locale: string | null;
}

@InputType({ description: "What a customer fills in at a payment link's form." })
export class SubmitLinkInput {
  @Field(() => ID, { description: 'The link id, `lnk_…`.' })
  declare linkId: string;

  @Field(() => String, { nullable: true, description: 'How much, a decimal string: at a link without amount.' })
  @Checked(checks.amount)
  declare amount?: string | null;

  @Field(() => String, { nullable: true, description: 'An e-mail address, if the link asks for it.' })
  @Checked(checks.email)
  declare email?: string | null;

  @Field(() => String, { nullable: true, description: 'A name, if the link asks for it.' })
  @Checked(checks.text(255))
  declare name?: string | null;

  @Field(() => String, { nullable: true, description: 'A telephone number, if the link asks for it.' })
  @Checked(checks.text(255))
  declare phone?: string | null;

  @Field(() => String, { nullable: true, description: 'A postal address, if the link asks for it.' })
  @Checked(checks.text(500))
  declare address?: string | null;

  @Field(() => String, { nullable: true, description: 'Anything else, if the link asks for it.' })
  @Checked(checks.text(500))
  declare note?: string | null;
}

@ObjectType({ description: 'A payment link in a list.', simpleResolvers: true })
export class PaymentLinkEdge {
  @Field(() => String, { description: 'Its cursor: the list goes on after it.' })
  declare cursor: string;

  @Field(() => PaymentLink, { description: 'The link.' })
  declare node: PaymentLink;
}

@ObjectType({ description: 'A page of payment links, newest first.', simpleResolvers: true })
export class PaymentLinkConnection {
  @Field(() => [PaymentLinkEdge], { description: 'The links with their cursors.' })
  declare edges: PaymentLinkEdge[];

  @Field(() => [PaymentLink], { description: 'The links.' })
  declare nodes: PaymentLink[];

  @Field(() => PageInfo, { description: 'Where this page stands.' })
  declare pageInfo: PageInfo;
}
