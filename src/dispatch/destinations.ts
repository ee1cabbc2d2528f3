// Where an event goes: every subscribed endpoint and the payment's callbackUrl, each distinct URL once. Pure.

import type { NewDelivery, RelayEndpoint, RelayEvent } from '../database/queries/relay-events.ts';
import { checkWebhookUrl } from '../values/webhook-url.ts';

/**
 * A destination. Its lane is what shares slots at sending: an endpoint, whatever its URL becomes, or for callback URLs,
 * which often differ in every payment, the merchant and the origin.
 */
export type Destination = Pick<NewDelivery, 'endpointId' | 'isPrimary' | 'lane' | 'url'>;

/**
 * The destinations of an event among its merchant's enabled endpoints, the primary one first. Where a URL occurs twice
 * the first stands, so an endpoint goes before a callbackUrl: a 410 then has something to switch off.
 */
export function destinationsOf(event: RelayEvent, endpoints: readonly RelayEndpoint[]): Destination[] {
  const wanted = endpoints.filter((endpoint) => isSubscribed(endpoint, event.type));
  const distinct = new Map<string, Destination>();
  for (const { id, isPrimary, url } of wanted) {
    const href = hrefOf(url);
    if (!distinct.has(href)) distinct.set(href, { endpointId: id, isPrimary, lane: id, url });
  }
  const { callbackUrl, merchantId } = event;
  if (callbackUrl !== null) {
    const href = hrefOf(callbackUrl);
    const lane = `${merchantId} ${URL.canParse(href) ? new URL(href).origin : href}`;
    if (!distinct.has(href)) distinct.set(href, { endpointId: null, isPrimary: false, lane, url: callbackUrl });
  }
  return [...distinct.values()];
}

/** A test event goes to the merchant's own endpoint, which need not subscribe to it (contract, section 7). */
function isSubscribed({ events, isPrimary }: RelayEndpoint, type: string): boolean {
  return type === 'webhook.test' ? isPrimary : events.includes(type);
}

/** The one spelling of a URL. Whether we may send there is for egress to judge. */
function hrefOf(url: string): string {
  const checked = checkWebhookUrl(url, { allowPrivate: true });
  return checked.ok ? checked.href : url;
}
