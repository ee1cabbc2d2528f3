// The REST API as OpenAPI 3.1, derived: paths, parameters and permissions from the table, shapes and descriptions from
// the schema. Nothing is written twice, so the document matches what the gateway does.

import { Kind, parse, type GraphQLSchema } from 'graphql';
import { describeAnswers, failureSchema, HEADERS } from './responses.ts';
import { exampleOfAnswer } from './recorded-answers.ts';
import { describeInputs, PARAMETERS, type Operation } from './inputs.ts';
import { createComponents, dataSchema, type Components, type Json } from './schemas.ts';
import { describeWebhooks, webhookParameters } from './webhooks.ts';
import type { Route } from '../routes/route.ts';

/** The version of the API whose paths begin with v1. Additions raise the second number. */
const API_VERSION = '1.0';

interface OpenApiOptions {
  /** Where the API is, without a slash at the end; left out in the committed document. */
  readonly serverUrl?: string;
  /** What live does not have is left out for it. */
  readonly environment?: 'sandbox' | 'live';
}

/** Derives the document. Throws when a row's document does not fit the schema, or two shapes have one name. */
export function buildOpenApi(schema: GraphQLSchema, routes: readonly Route[], options: OpenApiOptions = {}): Json {
  const components = createComponents(options.environment);
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const path = `/api/v1${route.path.replace(/:(\w+)/g, '{$1}')}`;
    (paths[path] ??= {})[route.method.toLowerCase()] = describeOperation(schema, route, components);
  }
  const used = new Set(routes.map(({ path }) => tagOf(path)));
  return {
    openapi: '3.1.0',
    info: {
      title: 'Turnpike',
      version: API_VERSION,
      summary: 'A crypto payment gateway.',
      description: DESCRIPTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: options.serverUrl ?? '/' }],
    tags: TAGS.filter(({ name }) => used.has(name)).map(({ name, description }) => ({ name, description })),
    paths,
    webhooks: describeWebhooks(components),
    components: {
      securitySchemes: describeSecurity(components.environment),
      parameters: { ...PARAMETERS, ...webhookParameters() },
      headers: HEADERS,
      responses: sorted(components.responses),
      schemas: { Failure: failureSchema(), ...sorted(components.schemas) },
    },
  };
}

const DESCRIPTION = `Every path executes one operation of the GraphQL schema at \`/graphql\`.

Exchange a key's \`keyId\` and \`secret\` for an access token at \`POST /api/v1/auth/token\` and send it as
\`Authorization: Bearer …\`. Every answer is \`{ "success": true, "data": … }\` or
\`{ "success": false, "error": { "code", "message", "details"? } }\`, and carries \`X-Request-Id\`.

- Amounts are decimal strings such as \`"25.5"\`, never JSON numbers. Times are ISO 8601 in UTC with milliseconds.
- Every documented key is present in an answer, null where there is no value. Ignore keys that you do not know.
- Lengths count UTF-16 code units: an emoji is two. Those of passwords count characters.
- Unknown fields of a body and unknown parameters are refused (2001).
- A parameter that takes several values is repeated, as \`status=A&status=B\` or \`status[]=A&status[]=B\`.
- A slash at the end of a path changes nothing.
- Lists are newest first. \`nextCursor\` of one page is \`cursor\` of the next.
- In examples \`{orderId}\` and the like stand for ids of your own.`;

const describeSecurity = (environment: 'sandbox' | 'live'): Json => ({
  token: {
    ...{ type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
    description: 'An access token, from `POST /api/v1/auth/token`. It lives for 24 hours unless configured otherwise.',
  },
  secret: {
    ...{ type: 'http', scheme: 'bearer' },
    description: `An API key's secret, \`sk_${environment === 'live' ? 'live' : 'test'}_…\`, in place of a token. Taken on these calls only.`,
  },
});

interface Tag {
  readonly name: string;
  readonly description: string;
  readonly paths: RegExp;
}

const TAGS: readonly Tag[] = [
  {
    name: 'Registration and tokens',
    description: 'From nothing to an access token.',
    paths: /^\/(merchant$|merchant\/register$|auth\/)/,
  },
  { name: 'Payments', description: 'Payment orders, refunds and late money.', paths: /^\/(payments|refunds)(\/|$)/ },
  {
    name: 'Invoices',
    description: 'Prices, coins that customers choose, and quotes.',
    paths: /^\/(checkout\/)?invoices/,
  },
  {
    name: 'Payment links',
    description: 'Pages that make invoices.',
    paths: /^\/(payment-links|checkout\/links)/,
  },
  { name: 'Wallet', description: 'Balances and withdrawals.', paths: /^\/wallet/ },
  {
    name: 'Webhooks and events',
    description: 'What happened, sent to you or read by you.',
    paths: /^\/(webhooks|merchant\/webhook|events)/,
  },
  { name: 'API keys', description: 'Keys, and what was called with them.', paths: /^\/merchant\/api-/ },
  {
    name: 'Account',
    description: 'Settings, reports, and what can be paid with.',
    paths: /^\/(merchant\/settings|reports|currencies|rates)/,
  },
  {
    name: 'Sandbox',
    description: 'Pays and expires payments on the test chain. Does not exist in live.',
    paths: /^\/sandbox/,
  },
  { name: 'More', description: 'Everything else.', paths: /^\// },
];

const tagOf = (path: string): string => TAGS.find(({ paths }) => paths.test(path))?.name ?? 'More';

const sorted = (schemas: Record<string, Json>): Json =>
  Object.fromEntries(Object.entries(schemas).sort(([one], [other]) => one.localeCompare(other)));

function describeOperation(schema: GraphQLSchema, route: Route, components: Components): Json {
  const { document, appends = [] } = route.alternative ?? { document: route.document };
  const node = parse(document, { noLocation: true }).definitions.find(
    (definition) => definition.kind === Kind.OPERATION_DEFINITION,
  );
  const root = node && schema.getRootType(node.operation);
  const selection = node?.selectionSet.selections[0];
  const field = selection?.kind === Kind.FIELD ? root?.getFields()[selection.name.value] : undefined;
  if (!node || !root || !field) throw new Error(`${route.method} ${route.path} has no operation`);
  const operation: Operation = { route, node, field };
  const { permission } = field.extensions;
  const need = typeof permission === 'string' ? permission : null;
  const example = exampleOfAnswer(node.name?.value ?? '', components.environment);
  return {
    operationId: node.name?.value,
    summary: summaryOf(field.description ?? ''),
    description: describeAccess(route, need),
    tags: [tagOf(route.path)],
    security: need === null ? [] : [{ token: [] }, ...(route.acceptSecret ? [{ secret: [] }] : [])],
    ...describeInputs(schema, operation, components),
    responses: describeAnswers(
      { route, need, data: dataSchema(root, node, components, appends), example },
      components.responses,
    ),
  };
}

/** The schema's description, without text that is only about GraphQL or repeated for every row of its kind. */
function summaryOf(description: string): string {
  return description.replace(/; null with a 2004 error[^.]*/, '').replace(/ (Sandbox only|No token)\./, '');
}

function describeAccess({ acceptSecret, sandboxOnly, idempotent }: Route, need: string | null): string {
  const access = need === null ? 'Needs no token.' : need === 'TOKEN' ? 'Any valid token.' : `Needs \`${need}\`.`;
  return [
    access,
    ...(acceptSecret ? ["A key's secret is taken as the bearer too."] : []),
    ...(sandboxOnly ? ['Exists in the sandbox only.'] : []),
    ...(idempotent ? ['May be repeated safely with an `Idempotency-Key`.'] : []),
  ].join(' ');
}
