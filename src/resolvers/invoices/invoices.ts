// GraphQL operations of merchants on invoices: create, read, list, cancel, accept, follow.

import { Arg, Args, Ctx, ID, Mutation, Query, Resolver, Root, Subscription } from 'type-graphql';
import { acceptInvoice, cancelInvoice } from '../../domain/invoices/end-invoice.ts';
import { findInvoices, getInvoice } from '../../domain/invoices/read-invoices.ts';
import type { InvoiceSnapshot } from '../../domain/snapshots/invoice.ts';
import * as checks from '../../values/checks.ts';
import { invalid } from '../../values/errors.ts';
import { answer, callerOf, idempotencyOf, Needs, type Context } from '../operation/context.ts';
import { found, isOpening, itemOf, open } from '../operation/streams.ts';
import { openPage, toConnection } from '../pagination.ts';
import { actingDeps, type Services } from '../services.ts';
import { CreateInvoiceInput, Invoice, InvoiceConnection, InvoiceFilter } from '../types/invoice.ts';
import { PageArgs } from '../types/page.ts';

@Resolver()
export class InvoiceResolver {
  constructor(private readonly services: Services) {}

  @Needs('CREATE_PAYMENTS')
  @Mutation(() => Invoice, { description: 'Creates an invoice: a price, for which the customer chooses a coin.' })
  async createInvoice(
    @Arg('input', () => CreateInvoiceInput, { description: 'The invoice to create.' }) input: CreateInvoiceInput,
    @Ctx() context: Context,
  ): Promise<Invoice> {
    const { merchantId } = callerOf(context);
    const { createInvoice, deps } = this.services;
    if (input.test != null && deps.environment === 'live')
      throw invalid([{ path: 'input.test', message: 'is not a known field' }]);
    const idempotency = idempotencyOf(this.services, context, { scope: merchantId, operation: 'createInvoice', input });
    return answer(context, await createInvoice(merchantId, input, idempotency));
  }

  @Needs('READ_PAYMENTS')
  @Query(() => Invoice, { nullable: true, description: 'One invoice; null with a 2004 error where there is none.' })
  async invoice(
    @Arg('id', () => ID, { description: 'The invoice id.' }) id: string,
    @Ctx() context: Context,
  ): Promise<Invoice> {
    return await getInvoice(this.services.deps, callerOf(context).merchantId, id);
  }

  @Needs('READ_PAYMENTS')
  @Query(() => InvoiceConnection, { description: 'Invoices, newest first.' })
  async invoices(
    @Args(() => PageArgs) args: PageArgs,
    @Arg('filter', () => InvoiceFilter, { nullable: true, description: 'Which invoices.' })
    filter: InvoiceFilter | null,
    @Ctx() context: Context,
  ): Promise<InvoiceConnection> {
    const { merchantId } = callerOf(context);
    const page = openPage(this.services, `invoices/${merchantId}`, args);
    const { startDate, endDate, ...rest } = filter ?? {};
    const range = {
      from: startDate == null ? null : checks.parseDate(startDate, 'start'),
      until: endDate == null ? null : checks.parseDate(endDate, 'end'),
    };
    const { nodes, hasMore } = await findInvoices(this.services.deps, merchantId, { ...rest, ...range }, page);
    return toConnection(nodes as Invoice[], hasMore, page);
  }

  @Needs('CANCEL_PAYMENTS')
  @Mutation(() => Invoice, { description: 'Cancels an open invoice that nothing was seen for, with its payments.' })
  async cancelInvoice(
    @Arg('id', () => ID, { description: 'The invoice id.' }) id: string,
    @Ctx() context: Context,
  ): Promise<Invoice> {
    return await cancelInvoice(actingDeps(this.services, context), callerOf(context).merchantId, id);
  }

  @Needs('CREATE_PAYMENTS')
  @Mutation(() => Invoice, { description: 'Accepts an invoice whose full value arrived late under MANUAL.' })
  async acceptInvoice(
    @Arg('id', () => ID, { description: 'The invoice id.' }) id: string,
    @Ctx() context: Context,
  ): Promise<Invoice> {
    return await acceptInvoice(actingDeps(this.services, context), callerOf(context).merchantId, id);
  }

  @Needs('READ_PAYMENTS')
  @Subscription(() => Invoice, {
    description:
      'With an id: the current state first, then every change in order, and confirmations as blocks arrive. ' +
      "Without: changes only, of all the merchant's invoices.",
    subscribe: open,
  })
  async invoiceUpdated(
    @Root() source: object | undefined,
    @Arg('id', () => ID, { nullable: true, description: 'The invoice id; left out: all invoices.' }) id: string | null,
    @Ctx() context: Context,
  ): Promise<Invoice | AsyncIterable<InvoiceSnapshot>> {
    if (!isOpening(source)) return itemOf<Invoice>(source);
    const { merchantId } = callerOf(context);
    const { updates } = this.services;
    return id == null ? updates.followMerchantInvoices(merchantId) : found(await updates.followInvoice(id, merchantId));
  }
}
