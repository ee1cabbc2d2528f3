// GraphQL operations on payment links: merchants create, change and list them, their customers submit them.

import { Arg, Args, Ctx, ID, Mutation, Query, Resolver } from 'type-graphql';
import { showInvoice } from '../../domain/invoices/checkout.ts';
import { findLinkCheckout } from '../../domain/links/checkout.ts';
import { createLink, updateLink } from '../../domain/links/payment-links.ts';
import { findLinks, getLink, readLink } from '../../domain/links/read-links.ts';
import { submitLink } from '../../domain/links/submit-link.ts';
import { actorOf, answer, callerOf, idempotencyOf, Needs, type Context } from '../operation/context.ts';
import { found } from '../operation/streams.ts';
import { openPage, toConnection } from '../pagination.ts';
import type { Services } from '../services.ts';
import { InvoiceCheckout } from '../types/invoice-checkout.ts';
import { PageArgs } from '../types/page.ts';
import {
  CreatePaymentLinkInput,
  LinkCheckout,
  PaymentLink,
  PaymentLinkConnection,
  SubmitLinkInput,
  UpdatePaymentLinkInput,
} from '../types/payment-link.ts';

@Resolver()
export class PaymentLinkResolver {
  constructor(private readonly services: Services) {}

  @Needs('CREATE_PAYMENTS')
  @Mutation(() => PaymentLink, { description: 'Creates a payment link: a page that makes invoices.' })
  async createPaymentLink(
    @Arg('input', () => CreatePaymentLinkInput, { description: 'The link to create.' }) input: CreatePaymentLinkInput,
    @Ctx() context: Context,
  ): Promise<PaymentLink> {
    const { merchantId: scope } = callerOf(context);
    // A date has no fields that a digest could tell from another's.
    const digested = { ...input, endsAt: input.endsAt?.toISOString() };
    const once = idempotencyOf(this.services, context, { scope, operation: 'createPaymentLink', input: digested });
    return answer(context, await createLink(this.services.deps, actorOf(context), input, once));
  }

  @Needs('CREATE_PAYMENTS')
  @Mutation(() => PaymentLink, { description: 'Changes a payment link; its invoices keep what they have.' })
  async updatePaymentLink(
    @Arg('id', () => ID, { description: 'The link id.' }) id: string,
    @Arg('input', () => UpdatePaymentLinkInput, { description: 'What to change.' }) input: UpdatePaymentLinkInput,
    @Ctx() context: Context,
  ): Promise<PaymentLink> {
    return await updateLink(this.services.deps, actorOf(context), id, input);
  }

  @Needs('READ_PAYMENTS')
  @Query(() => PaymentLink, {
    nullable: true,
    description: 'One payment link; null with a 2004 error where there is none.',
  })
  async paymentLink(
    @Arg('id', () => ID, { description: 'The link id.' }) id: string,
    @Ctx() context: Context,
  ): Promise<PaymentLink> {
    return await getLink(this.services.deps, callerOf(context).merchantId, id);
  }

  @Needs('READ_PAYMENTS')
  @Query(() => PaymentLinkConnection, { description: 'Payment links, newest first.' })
  async paymentLinks(@Args(() => PageArgs) args: PageArgs, @Ctx() context: Context): Promise<PaymentLinkConnection> {
    const { merchantId } = callerOf(context);
    const page = openPage(this.services, `paymentLinks/${merchantId}`, args);
    const { nodes, hasMore } = await findLinks(this.services.deps, merchantId, page);
    return toConnection<PaymentLink>(nodes, hasMore, page);
  }

  @Query(() => LinkCheckout, {
    nullable: true,
    description: "What a payment link's page shows, without a token; null with a 2004 error where there is none.",
  })
  async linkCheckout(@Arg('id', () => ID, { description: 'The link id.' }) id: string): Promise<LinkCheckout> {
    return found(await findLinkCheckout(this.services.deps, id));
  }

  /** A token lifts the limit only for links of its own merchant. */
  @Mutation(() => InvoiceCheckout, {
    description: "Submits a payment link's form: makes an invoice, for which a coin is to be chosen. No token.",
  })
  async submitPaymentLink(
    @Arg('input', () => SubmitLinkInput, { description: 'What the customer filled in.' }) input: SubmitLinkInput,
    @Ctx() context: Context,
  ): Promise<InvoiceCheckout> {
    const { deps, createInvoice } = this.services;
    const link = found(await readLink(deps.db.em, input.linkId));
    if (context.caller?.merchantId !== link.merchantId) await context.throttlePayer();
    await findLinkCheckout(deps, link.id);
    const once = idempotencyOf(this.services, context, { scope: link.id, operation: 'submitPaymentLink', input });
    const invoice = answer(context, await submitLink({ deps, createInvoice }, link, input, once));
    return await showInvoice(deps, invoice);
  }
}
