// Writes schema/postman.json, the Postman collection of openapi.json: node make-postman.js FILE. Its requests run in
// their order against a fresh sandbox: what one answers, such as an order's id, the next take from variables.

import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import postman from 'openapi-to-postmanv2';

const [target = '../../schema/postman.json'] = process.argv.slice(2);
const document = JSON.parse(readFileSync('../../schema/openapi.json', 'utf8'));

/** What the answer of an operation tells the requests after it, by the variable's name. */
const TOLD = {
  createMerchant: { keyId: 'apiKey.keyId', secret: 'apiKey.key' },
  createAccessToken: { bearerToken: 'accessToken' },
  createPayment: { orderId: 'orderId' },
  createInvoice: { invoiceId: 'invoiceId' },
  createPaymentLink: { linkId: 'id' },
  createWebhookEndpoint: { endpointId: 'id' },
  createApiKey: { spareKeyId: 'keyId' },
  sendTestEvent: { eventId: 'event_id' },
};

/** The variables that path parameters stand for, by how the path begins. */
const IDS = [
  [/^\/api\/v1\/(sandbox\/)?payments/, 'orderId'],
  [/^\/api\/v1\/(sandbox\/|checkout\/)?invoices/, 'invoiceId'],
  [/^\/api\/v1\/(checkout\/links|payment-links)/, 'linkId'],
  [/^\/api\/v1\/webhooks\/deliveries/, 'eventId'],
  [/^\/api\/v1\/webhooks/, 'endpointId'],
  [/^\/api\/v1\/merchant\/api-keys/, 'spareKeyId'],
];

/**
 * What is answered where it is not success: a payment can be canceled or accepted in some states only, and a new
 * merchant has neither money, nor withdrawals and refunds to name.
 */
const REFUSED = {
  refundPayment: [409],
  acceptPayment: [409],
  acceptInvoice: [409],
  expireQuote: [409],
  expireInvoice: [409],
  chooseAsset: [409],
  simulateDeposit: [409],
  expirePayment: [409],
  withdraw: [409],
  createPayoutBatch: [409],
  withdrawal: [404],
  refund: [404],
  payoutBatch: [404],
};

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, node]) => ({ path, method: method.toUpperCase(), node })),
);
const operationOf = ({ method, url }) => {
  const path = `/${url.path.map((part) => part.replace(/^:(.*)$/, '{$1}')).join('/')}`;
  const found = operations.find((one) => one.path === path && one.method === method);
  if (!found) throw new Error(`${method} ${path} is not in the document`);
  return found;
};

/** Ids that are the same whenever the collection is made. */
const idOf = (text) =>
  createHash('sha256')
    .update(text)
    .digest('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5');

function testOf({ node }) {
  const success = Number(Object.keys(node.responses).find((status) => status.startsWith('2')));
  const expected = [success, ...(REFUSED[node.operationId] ?? [])];
  return [
    `pm.test('is answered as documented', () => pm.expect(pm.response.code).to.be.oneOf(${JSON.stringify(expected)}));`,
    ...Object.entries(TOLD[node.operationId] ?? {}).map(
      ([name, path]) =>
        `if (pm.response.code === ${success}) pm.collectionVariables.set('${name}', pm.response.json().data.${path});`,
    ),
  ];
}

/** What is optional is off, and without the values that the converter makes up. */
const queryOf = ({ key, description, disabled }) =>
  disabled ? { key, description, disabled, value: '' } : { key, description, value: REQUIRED[key] };
const REQUIRED = { currency: 'EUR' };

function itemOf(item) {
  const operation = operationOf(item.request);
  const { node, path } = operation;
  const { description, url, method, header, body, auth } = item.request;
  const id = IDS.find(([pattern]) => pattern.test(path))?.[1];
  const success = node.responses[Object.keys(node.responses).find((status) => status.startsWith('2'))];
  return {
    id: idOf(node.operationId),
    name: node.summary,
    request: {
      description,
      method,
      url: {
        ...url,
        query: (url.query ?? []).map(queryOf),
        variable: (url.variable ?? []).map(({ key }) => ({ key, value: `{{${id ?? 'none'}}}` })),
      },
      header: header.filter(({ key }) => key !== 'X-Request-Id'),
      ...(body?.raw && {
        body: { mode: 'raw', raw: body.raw.replaceAll(/\{(\w+)\}(?=")/g, '{{$1}}'), options: body.options },
      }),
      auth: auth ?? { type: 'noauth' },
    },
    response: [
      {
        id: idOf(`${node.operationId} example`),
        name: 'Success',
        code: Number(Object.keys(node.responses).find((status) => status.startsWith('2'))),
        header: [{ key: 'Content-Type', value: 'application/json' }],
        body: JSON.stringify(success.content['application/json'].example, null, 2),
      },
    ],
    event: [{ listen: 'test', script: { type: 'text/javascript', exec: testOf(operation) } }],
  };
}

const converted = await promisify(postman.convertV2)(
  { type: 'string', data: JSON.stringify(document) },
  {
    folderStrategy: 'Tags',
    parametersResolution: 'Example',
    enableOptionalParameters: false,
    includeAuthInfoInExample: false,
  },
);
if (!converted.result) throw new Error(converted.reason);
const [{ data }] = converted.output;
const folders = data.item.map(({ name, description, item }) => ({
  id: idOf(name),
  name,
  description,
  // What ends a thing comes after what needs it.
  item: item
    .map(itemOf)
    .sort((one, other) => Number(one.request.method === 'DELETE') - Number(other.request.method === 'DELETE')),
}));
const variables = [
  'keyId',
  'secret',
  'bearerToken',
  'orderId',
  'invoiceId',
  'linkId',
  'endpointId',
  'spareKeyId',
  'eventId',
];
const collection = {
  info: {
    _postman_id: idOf('turnpike'),
    name: 'Turnpike',
    description: document.info.description,
    schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
  },
  item: folders,
  variable: [
    { key: 'baseUrl', value: 'http://localhost:3000' },
    ...variables.map((key) => ({ key, value: '' })),
    { key: 'none', value: 'none' },
  ],
};
writeFileSync(target, `${JSON.stringify(collection, null, 2)}\n`);
