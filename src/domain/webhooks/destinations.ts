// Where an event goes: every subscribed endpoint and the payment's callbackUrl, each distinct URL once; a test event
// that names a URL, there only. Pure.

import type { NewDelivery, RelayEndpoint, RelayEvent } from '../../database/queries/events/relay-events.ts';
import { checkWebhookUrl } from '../../values/internet/webhook-url.ts';

/**
 * A destination. Its lane is what shares slots at sending: an endpoint, whatever its URL becomes, or for callback URLs,
 * which often differ in every payment, the merchant and the origin.
 */
export type Destination = Pick<NewDelivery, 'endpointId' | 'isPrimary' | 'lane' | 'url'>;

/** What of an event says where it goes. */
type Addressed = Pick<RelayEvent, 'merchantId' | 'type' | 'callbackUrl' | 'targetUrl'>;

/**
 * The destinations of an event among its merchant's enabled endpoints, the primary one first. Where a URL occurs twice
 * the first stands, so an endpoint goes before a callbackUrl, or the URL that a test event is for: a 410 then has
 * something to switch off.
 */
export function destinationsOf(event: Addressed, endpoints: readonly RelayEndpoint[]): Destination[] {
  const { merchantId, targetUrl } = event;
  const wanted = endpoints.filter((endpoint) => {
    return targetUrl === null ? isSubscribed(endpoint, event.type) : hrefOf(endpoint.url) === hrefOf(targetUrl);
  });
  const distinct = new Map<string, Destination>();
  for (const { id, isPrimary, url } of wanted) {
    const href = hrefOf(url);
    if (!distinct.has(href)) distinct.set(href, { endpointId: id, isPrimary, lane: id, url });
  }
  const url = targetUrl ?? event.callbackUrl;
  if (url !== null) {
    const href = hrefOf(url);
    const lane = `${merchantId} ${URL.canParse(href) ? new URL(href).origin : href}`;
    if (!distinct.has(href)) distinct.set(href, { endpointId: null, isPrimary: false, lane, url });
  }
  return [...distinct.values()];
}

/** A test event without a URL goes to the merchant's own endpoint, which need not subscribe to it (contract, section 7). */
function isSubscribed({ events, isPrimary }: RelayEndpoint, type: string): boolean {
  return type === 'webhook.test' ? isPrimary : events.includes(type);
}

/** The one spelling of a URL. Whether we may send there is for egress to judge. */
function hrefOf(url: string): string {
  const checked = checkWebhookUrl(url, { allowPrivate: true });
  return checked.ok ? checked.href : url;
}
