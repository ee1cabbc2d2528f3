// Where an event goes: to every subscribed endpoint and the payment's callbackUrl, each distinct URL once; a test event
// that names a URL goes only there. Pure.

import type { NewDelivery, RelayEndpoint, RelayEvent } from '../../database/queries/events/relay-events.ts';
import { isGreenfieldEvent } from '../../values/formats/greenfield.ts';
import { checkWebhookUrl } from '../../values/internet/webhook-url.ts';

/**
 * A destination. Deliveries in one lane share sending slots. The lane is an endpoint, whatever its URL; for callback
 * URLs, which often differ in every payment, it is the merchant and the origin.
 */
export type Destination = Pick<NewDelivery, 'endpointId' | 'isPrimary' | 'lane' | 'url'>;

/** The fields of an event that determine where it goes. */
type Addressed = Pick<RelayEvent, 'merchantId' | 'type' | 'callbackUrl' | 'targetUrl'>;

/**
 * The destinations of an event among its merchant's enabled endpoints, the primary one first. If a URL occurs twice,
 * the first one counts, so an endpoint takes precedence over a callbackUrl or a test event's URL: a 410 then has an
 * endpoint to disable.
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

/** A test event without a URL goes to the primary endpoint, which need not subscribe to it (contract, section 7). */
function isSubscribed({ events, isPrimary, form }: RelayEndpoint, type: string): boolean {
  if (form === 'GREENFIELD' && !isGreenfieldEvent(type)) return false;
  return type === 'webhook.test' ? isPrimary : events.includes(type);
}

/** The canonical form of a URL. Whether we may send there is checked when sending. */
function hrefOf(url: string): string {
  const checked = checkWebhookUrl(url, { allowPrivate: true });
  return checked.ok ? checked.href : url;
}
