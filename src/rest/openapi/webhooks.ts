// The webhooks in the OpenAPI document: what is posted to endpoints, for every type of event (contract, section 7).

import { EVENT_DESCRIPTIONS } from '../../values/internet/webhook-events.ts';
import { exampleOfWebhook } from './recorded-answers.ts';
import type { Components, Json } from './schemas.ts';

const text = (description: string, schema: Json = {}): Json => ({ description, schema: { type: 'string', ...schema } });
const UNIX_SECONDS = 'Unix seconds of this attempt.';

/** The headers of a webhook, in the order in which they are sent, its media type aside. */
export const WEBHOOK_HEADERS: Readonly<Record<string, Json>> = {
  'User-Agent': text('`Turnpike-Webhook/1.0`.'),
  'X-PGW-Event-Id': text('The id of the event, the same for all its deliveries: act on it once.'),
  'X-PGW-Delivery-Id': text('The id of this delivery of the event.'),
  'X-PGW-Attempt': text('The number of this attempt, from 1.', { pattern: '^[1-9][0-9]*$' }),
  'X-PGW-Timestamp': text(UNIX_SECONDS, { pattern: '^[0-9]+$' }),
  'X-PGW-Signature': text(
    'HMAC-SHA256 over `<t>.<raw body>`, keyed with your whole secret as text, in hex; two while a rotated secret overlaps.',
    { pattern: '^t=[0-9]+(, v1=[0-9a-f]{64}){1,2}$' },
  ),
  'X-PGW-Signature-Alg': text('The algorithm of the signature.', { const: 'HMAC-SHA256' }),
  'webhook-id': text('The same as `X-PGW-Event-Id`, as Standard Webhooks calls it.'),
  'webhook-timestamp': text(UNIX_SECONDS, { pattern: '^[0-9]+$' }),
  'webhook-signature': text(
    'The signature of Standard Webhooks: over `<id>.<timestamp>.<raw body>`, keyed with the decoded part of your secret.',
    { pattern: '^v1,[A-Za-z0-9+/]{43}=( v1,[A-Za-z0-9+/]{43}=)?$' },
  ),
};

/** The component that each kind of event has in its `data`: what the API answers for it. */
const DATA: Readonly<Record<string, string>> = {
  payment: 'Payment',
  invoice: 'Invoice',
  withdrawal: 'Withdrawal',
  refund: 'RefundRecord',
};

const EVENTS = { ...EVENT_DESCRIPTIONS, 'webhook.test': 'You asked for a test (`POST /api/v1/webhooks/test`).' };

/** `webhooks` of the document, by the type of the event; the headers are added to `parameters` of the components. */
export function describeWebhooks({ environment, schemas }: Components): Json {
  const webhooks: Record<string, Json> = {};
  for (const [type, description] of Object.entries(EVENTS)) {
    const [kind = ''] = type.split('.');
    const name = DATA[kind];
    if (name !== undefined && !(name in schemas)) throw new Error(`No operation answers with a ${name}`);
    webhooks[type] = { post: webhookOf({ type, description, kind, name, environment }) };
  }
  return webhooks;
}

/** The headers as parameters of the components, by the names under which the webhooks refer to them. */
export const webhookParameters = (): Json =>
  Object.fromEntries(
    Object.entries(WEBHOOK_HEADERS).map(([name, header]) => [
      parameterName(name),
      { name, in: 'header', required: true, ...header },
    ]),
  );

const parameterName = (header: string): string =>
  header.replace(/(^|-)(\w)/g, (_, __, letter: string) => letter.toUpperCase());

interface Described {
  readonly type: string;
  readonly description: string;
  /** What it is about: the key of its `data`. */
  readonly kind: string;
  /** The component of that; undefined for test events, which are about nothing. */
  readonly name: string | undefined;
  readonly environment: string;
}

function webhookOf({ type, description, kind, name, environment }: Described): Json {
  const data =
    name === undefined
      ? { type: 'object', properties: {} }
      : { type: 'object', properties: { [kind]: { $ref: `#/components/schemas/${name}` } }, required: [kind] };
  const properties: Json = {
    id: { type: 'string', description: 'The id of the event, `evt_…`: the same for all attempts and resends.' },
    type: { const: type, type: 'string', description: 'The type of the event.' },
    apiVersion: { const: 'v1', type: 'string', description: 'The version of the body.' },
    environment: { const: environment, type: 'string', description: 'Where it comes from.' },
    createdAt: { type: 'string', format: 'date-time', description: 'When it happened.' },
    data: { ...data, description: name === undefined ? 'Nothing.' : `The ${kind} as it was then.` },
  };
  const schema = { type: 'object', properties, required: Object.keys(properties) };
  const example = exampleOfWebhook(type, environment);
  return {
    operationId: `on.${type}`,
    summary: description,
    description: 'Sent at least once: act once on its `id`. Check the signature over the raw body first.',
    tags: ['Webhooks and events'],
    security: [],
    parameters: Object.keys(WEBHOOK_HEADERS).map((header) => ({
      $ref: `#/components/parameters/${parameterName(header)}`,
    })),
    requestBody: {
      required: true,
      content: { 'application/json': { schema, ...(example && { example }) } },
    },
    responses: {
      '2XX': { description: 'You have it, within 5 seconds. It is not sent to this endpoint again.' },
      '410': { description: 'You want no more: the endpoint is switched off.' },
      default: { description: 'It is tried again, for up to 72 hours.' },
    },
  };
}
