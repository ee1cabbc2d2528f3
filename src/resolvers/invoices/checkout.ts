// GraphQL operations of customers who pay, without a token: what an invoice's page shows, the choice of a coin, live
// changes, and transactions for wallets.

import { Arg, Ctx, ID, Mutation, Query, Resolver, Root, Subscription } from 'type-graphql';
import {
  findInvoiceCheckout,
  openInvoiceView,
  showInvoice,
  type InvoiceCheckout as InvoiceCheckoutView,
} from '../../domain/invoices/checkout.ts';
import { findPayersInvoice, refuseTooManyUnpaid } from '../../domain/invoices/choice-limits.ts';
import { makeWalletTransaction } from '../../domain/invoices/wallet-transaction.ts';
import { GatewayError } from '../../values/errors.ts';
import type { Context } from '../operation/context.ts';
import { found, isOpening, itemOf, mapped, open } from '../operation/streams.ts';
import type { Services } from '../services.ts';
import { InvoiceCheckout } from '../types/invoice-checkout.ts';
import { ChooseAssetInput } from '../types/invoice.ts';

@Resolver()
export class InvoiceCheckoutResolver {
  constructor(private readonly services: Services) {}

  @Query(() => InvoiceCheckout, {
    nullable: true,
    description: "What an invoice's page shows, without a token; null with a 2004 error where there is none.",
  })
  async invoiceCheckout(@Arg('id', () => ID, { description: 'The invoice id.' }) id: string): Promise<InvoiceCheckout> {
    return found(await findInvoiceCheckout(this.services.deps, id));
  }

  @Query(() => String, {
    description:
      "An unsigned transaction, base64, by which the payer's own wallet pays what is due: on Solana, whose wallets take whole transactions. It is valid for about a minute. No token.",
  })
  async walletTransaction(
    @Arg('id', () => ID, { description: 'The order id.' }) id: string,
    @Arg('payer', () => String, { description: "The address of the payer's wallet." }) payer: string,
    @Ctx() context: Context,
  ): Promise<string> {
    await context.throttlePayer();
    return await makeWalletTransaction(this.services.deps, { id, payer });
  }

  /** A token lifts the limits only for invoices of its own merchant. */
  @Mutation(() => InvoiceCheckout, {
    description:
      'Chooses the coin that an invoice is paid in: fixes its rate for a while, and shows an address. No token.',
  })
  async chooseAsset(
    @Arg('input', () => ChooseAssetInput, { description: 'The invoice, and the coin.' }) input: ChooseAssetInput,
    @Ctx() context: Context,
  ): Promise<InvoiceCheckout> {
    const { deps, chooseAsset, checkoutOpenLimit } = this.services;
    const invoice = found(await findPayersInvoice(deps, input));
    if (invoice.isSuspended) throw new GatewayError('MERCHANT_SUSPENDED');
    const withoutToken = context.caller?.merchantId !== invoice.merchantId;
    if (withoutToken) {
      await context.throttlePayer();
      if (!invoice.hasLiveQuote) await refuseTooManyUnpaid(deps, invoice.merchantId, checkoutOpenLimit);
    }
    return await showInvoice(deps, await chooseAsset({ ...input, withoutToken }), input);
  }

  @Subscription(() => InvoiceCheckout, {
    description: 'The current state first, then every change in order, and confirmations as blocks arrive. No token.',
    subscribe: open,
  })
  async invoiceCheckoutUpdated(
    @Root() source: object | undefined,
    @Arg('id', () => ID, { description: 'The invoice id.' }) id: string,
  ): Promise<InvoiceCheckout | AsyncIterable<InvoiceCheckoutView>> {
    if (!isOpening(source)) return itemOf<InvoiceCheckout>(source);
    const show = found(await openInvoiceView(this.services.deps, id));
    return mapped(found(await this.services.updates.followInvoice(id, null)), (invoice) => show(invoice));
  }
}
