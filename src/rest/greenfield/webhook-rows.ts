// The rows of webhooks: our endpoints of the form GREENFIELD.

import { GatewayError, invalid } from '../../values/errors.ts';
import { GREENFIELD_EVENTS } from '../../values/formats/greenfield.ts';
import type { Ask, GreenfieldRow, Json } from './row.ts';

const ENDPOINT = 'id url enabled events form';
const LIST = `query greenfieldWebhooks { result: webhookEndpoints { ${ENDPOINT} } }`;

interface Endpoint {
  readonly id: string;
  readonly url: string;
  readonly enabled: boolean;
  readonly events: readonly string[];
  readonly form: string;
}

function show(data: Json): Json {
  const { id, enabled, url, events } = data as unknown as Endpoint;
  const names = Object.entries(GREENFIELD_EVENTS).flatMap(([own, theirs]) => (events.includes(own) ? [theirs] : []));
  const everything = names.length === Object.keys(GREENFIELD_EVENTS).length;
  const authorizedEvents = { everything, specificEvents: everything ? [] : names };
  return { id, enabled, automaticRedelivery: true, url, authorizedEvents };
}

/** The endpoints of this form; others are not theirs to see or change. */
async function listed(ask: Ask): Promise<readonly Json[]> {
  const all = (await ask('list')) as unknown as readonly Json[];
  return all.filter(({ form }) => form === 'GREENFIELD');
}

async function found(ask: Ask, id: string | undefined): Promise<Json> {
  const endpoint = (await listed(ask)).find((each) => each['id'] === id);
  if (!endpoint) throw new GatewayError('NOT_FOUND');
  return endpoint;
}

/** Events of theirs that we tell of by another: money that is seen is `InvoiceProcessing` as soon as it is enough. */
const TOLD_BY_OTHERS: ReadonlySet<unknown> = new Set(['InvoiceReceivedPayment', 'InvoicePaymentSettled']);

/** The event types of their `authorizedEvents`; undefined if they say nothing. */
function readEvents(authorized: unknown): readonly string[] | undefined {
  if (typeof authorized !== 'object' || authorized === null) return undefined;
  const { everything, specificEvents } = authorized as Json;
  const known = Object.entries(GREENFIELD_EVENTS);
  if (everything === true) return known.map(([own]) => own);
  if (!Array.isArray(specificEvents)) return undefined;
  const path = 'authorizedEvents.specificEvents';
  const unknown = specificEvents.filter(
    (name) => !TOLD_BY_OTHERS.has(name) && !known.some(([, theirs]) => theirs === name),
  );
  const [first] = unknown as readonly unknown[];
  const told = typeof first === 'string' ? first.slice(0, 40) : 'of that form';
  if (unknown.length > 0) throw invalid([{ path, message: `has no event ${told} here` }]);
  const wanted = new Set<unknown>(specificEvents);
  // An underpaid invoice fails here, and expires there.
  const types = known.filter(
    ([own, theirs]) => wanted.has(theirs) || (own === 'invoice.failed' && wanted.has('InvoiceExpired')),
  );
  if (types.length === 0) throw invalid([{ path, message: 'names no event that is sent here' }]);
  return types.map(([own]) => own);
}

function readInput({ url, enabled, authorizedEvents }: Json): Json {
  const events = readEvents(authorizedEvents);
  return {
    ...(url !== undefined && { url }),
    ...(typeof enabled === 'boolean' && { enabled }),
    ...(events && { events }),
  };
}

export const WEBHOOK_ROWS: readonly GreenfieldRow[] = [
  {
    method: 'GET',
    path: '/stores/:storeId/webhooks',
    documents: { list: LIST },
    answer: async (ask) => (await listed(ask)).map(show),
  },
  {
    method: 'POST',
    path: '/stores/:storeId/webhooks',
    documents: {
      create: `mutation greenfieldAddWebhook($input: CreateWebhookEndpointInput!) {
        result: createWebhookEndpoint(input: $input) { ${ENDPOINT} secret }
      }`,
    },
    answer: async (ask, { body }) => {
      const { secret } = body;
      if (secret !== undefined && secret !== null && secret !== '')
        throw invalid([{ path: 'secret', message: 'is made here: leave it out, and keep the one that is answered' }]);
      const input = { ...readInput(body), form: 'GREENFIELD', description: 'BTCPay plugin' };
      const made = await ask('create', { input });
      return { ...show(made), secret: made['secret'] };
    },
  },
  {
    method: 'GET',
    path: '/stores/:storeId/webhooks/:id',
    documents: { list: LIST },
    missing: 'webhook',
    answer: async (ask, { params: { id } }) => show(await found(ask, id)),
  },
  {
    method: 'PUT',
    path: '/stores/:storeId/webhooks/:id',
    documents: {
      list: LIST,
      change: `mutation greenfieldChangeWebhook($id: ID!, $input: UpdateWebhookEndpointInput!) {
        result: updateWebhookEndpoint(id: $id, input: $input) { ${ENDPOINT} }
      }`,
    },
    missing: 'webhook',
    answer: async (ask, { body, params: { id } }) => {
      await found(ask, id);
      return show(await ask('change', { id, input: readInput(body) }));
    },
  },
  {
    method: 'DELETE',
    path: '/stores/:storeId/webhooks/:id',
    documents: {
      list: LIST,
      remove: 'mutation greenfieldRemoveWebhook($id: ID!) { result: deleteWebhookEndpoint(id: $id) { id } }',
    },
    missing: 'webhook',
    answer: async (ask, { params: { id } }) => {
      await found(ask, id);
      await ask('remove', { id });
      return {};
    },
  },
];
