// What customers pay: payments, invoices, links, and what comes back to them.

import type { CallOptions } from '../options.ts';
import type { Listing } from '../paging.ts';
import type { BodyOf, DataOf, ItemOf } from '../types.ts';
import { Resource, type Filter } from './resource.ts';

/** Orders for one coin. */
export class Payments extends Resource {
  /** Creates an order with a fresh deposit address; send the customer to its `paymentUrl`. */
  create(input: BodyOf<'createPayment'>, options?: CallOptions): Promise<DataOf<'createPayment'>> {
    return this.client.call('createPayment', { body: input }, options);
  }

  get(id: string, options?: CallOptions): Promise<DataOf<'payment'>> {
    return this.client.call('payment', { path: { id } }, options);
  }

  /** Newest first. */
  list(filter: Filter<'payments'> = {}, options?: CallOptions): Listing<ItemOf<'payments'>> {
    return this.listing('payments', filter, options);
  }

  /** Only while nothing was paid. */
  cancel(id: string, options?: CallOptions): Promise<DataOf<'cancelPayment'>> {
    return this.client.call('cancelPayment', { path: { id } }, options);
  }

  /** Takes a payment whose full amount came late. */
  accept(id: string, options?: CallOptions): Promise<DataOf<'acceptPayment'>> {
    return this.client.call('acceptPayment', { path: { id } }, options);
  }

  /** Pays back; all that is refundable, if `amount` is left out. */
  refund(id: string, input: BodyOf<'refundPayment'>, options?: CallOptions): Promise<DataOf<'refundPayment'>> {
    return this.client.call('refundPayment', { path: { id }, body: input }, options);
  }

  /** What was paid back of one payment, newest first. */
  refunds(id: string, filter: Filter<'paymentRefunds'> = {}, options?: CallOptions): Listing<ItemOf<'paymentRefunds'>> {
    return this.listing('paymentRefunds', filter, options, { id });
  }
}

/** What was paid back. */
export class Refunds extends Resource {
  get(id: string, options?: CallOptions): Promise<DataOf<'refund'>> {
    return this.client.call('refund', { path: { id } }, options);
  }

  /** Newest first. */
  list(filter: Filter<'refunds'> = {}, options?: CallOptions): Listing<ItemOf<'refunds'>> {
    return this.listing('refunds', filter, options);
  }
}

/** Orders with a price in your shop's currency. */
export class Invoices extends Resource {
  /** Creates an invoice; send the customer to its `invoiceUrl`. */
  create(input: BodyOf<'createInvoice'>, options?: CallOptions): Promise<DataOf<'createInvoice'>> {
    return this.client.call('createInvoice', { body: input }, options);
  }

  get(id: string, options?: CallOptions): Promise<DataOf<'invoice'>> {
    return this.client.call('invoice', { path: { id } }, options);
  }

  /** Newest first. */
  list(filter: Filter<'invoices'> = {}, options?: CallOptions): Listing<ItemOf<'invoices'>> {
    return this.listing('invoices', filter, options);
  }

  /** Only while nothing was paid. */
  cancel(id: string, options?: CallOptions): Promise<DataOf<'cancelInvoice'>> {
    return this.client.call('cancelInvoice', { path: { id } }, options);
  }

  /** Takes an invoice whose money came late. */
  accept(id: string, options?: CallOptions): Promise<DataOf<'acceptInvoice'>> {
    return this.client.call('acceptInvoice', { path: { id } }, options);
  }
}

/** Pages that make invoices. */
export class PaymentLinks extends Resource {
  create(input: BodyOf<'createPaymentLink'>, options?: CallOptions): Promise<DataOf<'createPaymentLink'>> {
    return this.client.call('createPaymentLink', { body: input }, options);
  }

  get(id: string, options?: CallOptions): Promise<DataOf<'paymentLink'>> {
    return this.client.call('paymentLink', { path: { id } }, options);
  }

  /** Newest first. */
  list(filter: Filter<'paymentLinks'> = {}, options?: CallOptions): Listing<ItemOf<'paymentLinks'>> {
    return this.listing('paymentLinks', filter, options);
  }

  /** Changes only what is sent. */
  update(id: string, input: BodyOf<'updatePaymentLink'>, options?: CallOptions): Promise<DataOf<'updatePaymentLink'>> {
    return this.client.call('updatePaymentLink', { path: { id }, body: input }, options);
  }
}

/** What customers may see and do without a token: safe in a browser. */
export class Checkout extends Resource {
  /** Every coin that the gateway knows, with its limits. */
  async currencies(options?: CallOptions): Promise<ItemOf<'currencies'>[]> {
    return (await this.client.call('currencies', {}, options)).items;
  }

  invoice(id: string, options?: CallOptions): Promise<DataOf<'invoiceCheckout'>> {
    return this.client.call('invoiceCheckout', { path: { id } }, options);
  }

  /** Chooses the coin to pay an invoice in. */
  choose(id: string, input: BodyOf<'chooseAsset'>, options?: CallOptions): Promise<DataOf<'chooseAsset'>> {
    return this.client.call('chooseAsset', { path: { id }, body: input }, options);
  }

  link(id: string, options?: CallOptions): Promise<DataOf<'linkCheckout'>> {
    return this.client.call('linkCheckout', { path: { id } }, options);
  }

  /** Makes an invoice of a payment link. */
  submit(id: string, input: BodyOf<'submitPaymentLink'>, options?: CallOptions): Promise<DataOf<'submitPaymentLink'>> {
    return this.client.call('submitPaymentLink', { path: { id }, body: input }, options);
  }
}
