// THE TABLE of Greenfield routes: those that the plugins of shops call, each with our documents behind it.

import { GatewayError, invalid } from '../../values/errors.ts';
import { acceptedOf, INVOICE, methodOf, readNewInvoice, showInvoice, showPaymentMethods, statesOf } from './invoice.ts';
import type { GreenfieldRequest, GreenfieldRow, Json } from './row.ts';
import { WEBHOOK_ROWS } from './webhook-rows.ts';

/** As plugins compare it: their refunds need 1.7.6, and answers are in the form of 2.0. */
const VERSION = '2.0.0';

/** Their permissions by ours, in the order of our list. */
export const THEIR_PERMISSIONS: Readonly<Record<string, readonly string[]>> = {
  READ_PAYMENTS: ['btcpay.store.canviewinvoices', 'btcpay.store.canviewstoresettings'],
  CREATE_PAYMENTS: ['btcpay.store.cancreateinvoice'],
  CANCEL_PAYMENTS: ['btcpay.store.canmodifyinvoices'],
  MANAGE_WEBHOOKS: ['btcpay.store.webhooks.canmodifywebhooks'],
};

const storeOf = ({ id, companyName }: Json): Json => ({
  ...{ id, name: companyName, website: null, defaultCurrency: 'USD', invoiceExpiration: 3_600 },
  ...{ monitoringExpiration: 3_600, speedPolicy: 'MediumSpeed', paymentTolerance: 0, anyoneCanCreateInvoice: false },
});

const CURRENCIES = 'query greenfieldMethods { result: currencies { currency network available } }';
const MERCHANT = `query greenfieldStore {
  result: merchant { id companyName acceptedAssets { currency network } }
}`;

async function methods(ask: (name: string) => Promise<Json>): Promise<readonly { name: string; enabled: boolean }[]> {
  const assets = (await ask('assets')) as unknown as { currency: string; network: string; available: boolean }[];
  return assets.map((asset) => ({ name: methodOf(asset), enabled: asset.available }));
}

const one = ({ query }: GreenfieldRequest, name: string): string | null => query.get(name)?.at(-1) ?? null;

/** Their time in seconds as ours; null without one. */
function dateOf(request: GreenfieldRequest, name: string): string | null {
  const text = one(request, name);
  if (text === null) return null;
  if (!/^\d{1,11}$/.test(text)) throw invalid([{ path: name, message: 'must be seconds since 1970' }]);
  return new Date(Number(text) * 1_000).toISOString();
}

/** What lists of theirs can be narrowed by, and ours cannot. */
const NOT_HERE = ['orderId', 'textSearch'];

function readFilter(request: GreenfieldRequest): Json {
  const unknown = NOT_HERE.filter((name) => request.query.has(name));
  if (Number(one(request, 'skip') ?? 0) !== 0) unknown.push('skip');
  if (unknown.length > 0)
    throw invalid(unknown.map((path) => ({ path, message: 'is not supported here; narrow by status and dates' })));
  const take = Number(one(request, 'take') ?? 50);
  if (!Number.isInteger(take) || take < 1 || take > 100)
    throw invalid([{ path: 'take', message: 'must be a whole number from 1 to 100' }]);
  const status = request.query.get('status')?.flatMap(statesOf);
  return { take, status, from: dateOf(request, 'startDate'), to: dateOf(request, 'endDate') };
}

const STORE_ROWS: readonly GreenfieldRow[] = [
  {
    method: 'GET',
    path: '/health',
    documents: {},
    answer: () => Promise.resolve({ synchronized: true }),
  },
  {
    method: 'GET',
    path: '/server/info',
    documents: { assets: CURRENCIES },
    answer: async (ask) => {
      const names = (await methods(ask)).map(({ name }) => name);
      return { version: VERSION, onion: null, supportedPaymentMethods: names, fullySynched: true, syncStatus: [] };
    },
  },
  {
    method: 'GET',
    path: '/api-keys/current',
    documents: { store: MERCHANT },
    answer: (_ask, { caller }) => {
      const own = Object.entries(THEIR_PERMISSIONS).filter(([name]) => caller?.permissions.has(name as never));
      const permissions = own.flatMap(([, theirs]) => theirs.map((name) => `${name}:${caller?.merchantId ?? ''}`));
      return Promise.resolve({ apiKey: caller?.keyId ?? null, label: caller?.keyId ?? null, permissions });
    },
  },
  {
    method: 'GET',
    path: '/stores',
    documents: { store: MERCHANT },
    answer: async (ask) => [storeOf(await ask('store'))],
  },
  {
    method: 'GET',
    path: '/stores/:storeId',
    documents: { store: MERCHANT },
    answer: async (ask) => storeOf(await ask('store')),
  },
  {
    method: 'GET',
    path: '/stores/:storeId/payment-methods',
    documents: { assets: CURRENCIES, store: MERCHANT },
    answer: async (ask) => {
      const accepted = acceptedOf(await ask('store'));
      return (await methods(ask)).map(({ name, enabled: isAvailable }) => {
        const enabled = isAvailable && (accepted?.includes(name) ?? true);
        return { paymentMethodId: name, paymentMethod: name, enabled };
      });
    },
  },
];

const READ = `query greenfieldInvoice($id: ID!) { result: invoice(id: $id) { ${INVOICE} } }`;

const INVOICE_ROWS: readonly GreenfieldRow[] = [
  {
    method: 'POST',
    path: '/stores/:storeId/invoices',
    documents: {
      store: MERCHANT,
      create: `mutation greenfieldCreate($input: CreateInvoiceInput!) {
        result: createInvoice(input: $input) { ${INVOICE} }
      }`,
    },
    answer: async (ask, { body, params: { storeId = '' } }) => {
      const input = readNewInvoice(body, acceptedOf(await ask('store')));
      return showInvoice(await ask('create', { input }), storeId);
    },
  },
  {
    method: 'GET',
    path: '/stores/:storeId/invoices',
    documents: {
      list: `query greenfieldInvoices($take: Int, $status: [InvoiceStatus!], $from: String, $to: String) {
        result: invoices(first: $take, filter: { status: $status, startDate: $from, endDate: $to }) {
          nodes { ${INVOICE} }
        }
      }`,
    },
    answer: async (ask, request) => {
      const { nodes } = (await ask('list', readFilter(request))) as unknown as { nodes: readonly Json[] };
      const shown = nodes.map((invoice) => showInvoice(invoice, request.params['storeId'] ?? ''));
      // A failed invoice is one of two states of theirs, by how much of it was paid.
      const asked = request.query.get('status');
      return asked === undefined ? shown : shown.filter(({ status }) => asked.includes(String(status)));
    },
  },
  {
    method: 'GET',
    path: '/stores/:storeId/invoices/:id',
    documents: { read: READ },
    missing: 'invoice',
    answer: async (ask, { params: { storeId = '', id } }) => showInvoice(await ask('read', { id }), storeId),
  },
  {
    method: 'GET',
    path: '/stores/:storeId/invoices/:id/payment-methods',
    documents: { read: READ },
    missing: 'invoice',
    answer: async (ask, { params: { id } }) => showPaymentMethods(await ask('read', { id })),
  },
  {
    method: 'POST',
    path: '/stores/:storeId/invoices/:id/status',
    documents: {
      Invalid: `mutation greenfieldCancel($id: ID!) { result: cancelInvoice(id: $id) { ${INVOICE} } }`,
    },
    missing: 'invoice',
    answer: async (ask, { body, params: { storeId = '', id } }) => {
      const { status } = body;
      if (status !== 'Invalid') throw invalid([{ path: 'status', message: 'must be Invalid: only payments settle' }]);
      return showInvoice(await ask('Invalid', { id }), storeId);
    },
  },
  {
    method: 'POST',
    path: '/stores/:storeId/invoices/:id/refund',
    documents: { read: READ },
    missing: 'invoice',
    answer: async (ask, { params: { id } }) => {
      await ask('read', { id });
      const message = 'Refunds are sent to an address: use the console, or POST /api/v1/payments/{id}/refund';
      throw new GatewayError('NOT_REFUNDABLE', { message });
    },
  },
];

/** Every row. */
export const GREENFIELD_ROWS: readonly GreenfieldRow[] = [...STORE_ROWS, ...INVOICE_ROWS, ...WEBHOOK_ROWS];
