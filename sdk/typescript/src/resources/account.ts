// The merchant itself: settings, keys, webhooks, the event log; and what only a sandbox does.

import type { CallOptions } from '../options.ts';
import { Listing } from '../paging.ts';
import type { BodyOf, DataOf, ItemOf } from '../types.ts';
import { Resource, type Filter } from './resource.ts';

/** Settings, keys and the log of calls. */
export class Merchant extends Resource {
  /** Makes a merchant and a first key; needs no token, where registration is open. */
  register(input: BodyOf<'registerMerchant'>, options?: CallOptions): Promise<DataOf<'registerMerchant'>> {
    return this.client.call('registerMerchant', { body: input }, options);
  }

  settings(options?: CallOptions): Promise<DataOf<'settings'>> {
    return this.client.call('settings', {}, options);
  }

  /** Changes only what is sent. */
  updateSettings(input: BodyOf<'updateSettings'>, options?: CallOptions): Promise<DataOf<'updateSettings'>> {
    return this.client.call('updateSettings', { body: input }, options);
  }

  /** The secret is in this answer and nowhere else. */
  createKey(input: BodyOf<'createApiKey'>, options?: CallOptions): Promise<DataOf<'createApiKey'>> {
    return this.client.call('createApiKey', { body: input }, options);
  }

  async keys(options?: CallOptions): Promise<ItemOf<'apiKeys'>[]> {
    return (await this.client.call('apiKeys', {}, options)).items;
  }

  updateKey(keyId: string, input: BodyOf<'updateApiKey'>, options?: CallOptions): Promise<DataOf<'updateApiKey'>> {
    return this.client.call('updateApiKey', { path: { keyId }, body: input }, options);
  }

  revokeKey(keyId: string, options?: CallOptions): Promise<DataOf<'revokeApiKey'>> {
    return this.client.call('revokeApiKey', { path: { keyId } }, options);
  }

  /** Newest first. */
  logs(filter: Filter<'apiLogs'> = {}, options?: CallOptions): Listing<ItemOf<'apiLogs'>> {
    return this.listing('apiLogs', filter, options);
  }
}

/** Where events are sent, and what became of them. To verify what arrives, see the entry `webhooks` of this package. */
export class Webhooks extends Resource {
  /** Sets the merchant's own endpoint; the answer has the secret that signs. `{}` only shows it. */
  configure(input: BodyOf<'configureWebhook'>, options?: CallOptions): Promise<DataOf<'configureWebhook'>> {
    return this.client.call('configureWebhook', { body: input }, options);
  }

  /** Makes a new secret; the old one signs besides for `overlapHours`. */
  rotateSecret(
    input: BodyOf<'rotateWebhookSecret'> = {},
    options?: CallOptions,
  ): Promise<DataOf<'rotateWebhookSecret'>> {
    return this.client.call('rotateWebhookSecret', { body: input }, options);
  }

  create(input: BodyOf<'createWebhookEndpoint'>, options?: CallOptions): Promise<DataOf<'createWebhookEndpoint'>> {
    return this.client.call('createWebhookEndpoint', { body: input }, options);
  }

  async list(options?: CallOptions): Promise<ItemOf<'webhookEndpoints'>[]> {
    return (await this.client.call('webhookEndpoints', {}, options)).items;
  }

  /** Changes only what is sent. */
  update(
    id: string,
    input: BodyOf<'updateWebhookEndpoint'>,
    options?: CallOptions,
  ): Promise<DataOf<'updateWebhookEndpoint'>> {
    return this.client.call('updateWebhookEndpoint', { path: { id }, body: input }, options);
  }

  delete(id: string, options?: CallOptions): Promise<DataOf<'deleteWebhookEndpoint'>> {
    return this.client.call('deleteWebhookEndpoint', { path: { id } }, options);
  }

  /** Sends a test event, to `url` or to the merchant's own endpoint. */
  test(input: BodyOf<'sendTestEvent'> = {}, options?: CallOptions): Promise<DataOf<'sendTestEvent'>> {
    return this.client.call('sendTestEvent', { body: input }, options);
  }

  /** Sends an event once more, with the same bytes. */
  resend(eventId: string, options?: CallOptions): Promise<DataOf<'resendEvent'>> {
    return this.client.call('resendEvent', { body: { event_id: eventId } }, options);
  }

  delivery(eventId: string, options?: CallOptions): Promise<DataOf<'webhookDelivery'>> {
    return this.client.call('webhookDelivery', { path: { event_id: eventId } }, options);
  }

  /** Newest first. */
  deliveries(filter: Filter<'webhookDeliveries'> = {}, options?: CallOptions): Listing<ItemOf<'webhookDeliveries'>> {
    return this.listing('webhookDeliveries', filter, options);
  }
}

/** The event log. To follow it, see `live.events`. */
export class Events extends Resource {
  /** Oldest first, after a sequence number; ends with the newest event that there is. */
  list(after = 0, options?: CallOptions & { readonly limit?: number }): Listing<ItemOf<'events'>> {
    return new Listing(async (position) => {
      const query = { after: Number(position ?? after), ...(options?.limit !== undefined && { limit: options.limit }) };
      const { items, hasMore } = await this.client.call('events', { query }, options);
      const last = items.at(-1)?.sequence;
      return { items, next: hasMore && last !== undefined ? String(last) : null };
    });
  }
}

/** Merchants, money and time of a sandbox. */
export class Sandbox extends Resource {
  /** Makes a merchant with a key that has every permission; needs no token. */
  createMerchant(input: BodyOf<'createMerchant'>, options?: CallOptions): Promise<DataOf<'createMerchant'>> {
    return this.client.call('createMerchant', { body: input }, options);
  }

  /** Pays with a real transaction on the sandbox's chain: what is still due, if `amount` is left out. */
  deposit(
    id: string,
    input: BodyOf<'simulateDeposit'> = {},
    options?: CallOptions,
  ): Promise<DataOf<'simulateDeposit'>> {
    return this.client.call('simulateDeposit', { path: { id }, body: input }, options);
  }

  expirePayment(id: string, options?: CallOptions): Promise<DataOf<'expirePayment'>> {
    return this.client.call('expirePayment', { path: { id } }, options);
  }

  expireInvoice(id: string, options?: CallOptions): Promise<DataOf<'expireInvoice'>> {
    return this.client.call('expireInvoice', { path: { id } }, options);
  }

  /** Ends the quote of an invoice's payment, by the payment's id. */
  expireQuote(id: string, options?: CallOptions): Promise<DataOf<'expireQuote'>> {
    return this.client.call('expireQuote', { path: { id } }, options);
  }

  setRate(input: BodyOf<'setSandboxRate'>, options?: CallOptions): Promise<DataOf<'setSandboxRate'>> {
    return this.client.call('setSandboxRate', { body: input }, options);
  }
}
