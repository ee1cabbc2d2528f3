// The hosted payment page: the public `checkout` query, rendered; the script that follows it comes from beside it.

import type { FastifyInstance, FastifyReply } from 'fastify';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { execute, parse, type GraphQLSchema } from 'graphql';
import type { OperationContext } from '../access/caller.ts';
import { CHECKOUT_FIELDS, type Checkout } from '../../web/pay/checkout.ts';
import { renderErrorPage, renderNotFoundPage, renderPaymentPage } from '../../web/pay/page.ts';
import { GatewayError } from '../values/errors.ts';
import { isExpected } from './envelope.ts';
import type { createIdentify } from './identify.ts';

interface PayPageDeps {
  readonly schema: GraphQLSchema;
  readonly identify: ReturnType<typeof createIdentify>;
  readonly clock: { now(): Date };
}

const SCRIPT_PATH = '/pay/assets/client.js';
const DOCUMENT = parse(`query checkout($id: ID!) { checkout(id: $id) { ${CHECKOUT_FIELDS} } }`);

/** Registers /pay/:id and its script. */
export function registerPayPage(server: FastifyInstance, { schema, identify, clock }: PayPageDeps): void {
  const script = readFileSync(fileURLToPath(new URL('../../web/pay/client.js', import.meta.url)));

  server.get(SCRIPT_PATH, (_request, reply) =>
    reply.type('text/javascript; charset=utf-8').header('Cache-Control', 'public, max-age=300').send(script),
  );

  server.get('/pay/:id', async (request, reply) => {
    const nonce = randomBytes(16).toString('base64');
    securePage(reply, nonce);
    try {
      const context = await identify(request, reply, { acceptSecret: false, isPublic: true });
      const { id } = request.params as { id: string };
      const checkout = await readCheckout(schema, id, context);
      const now = clock.now();
      return renderPaymentPage({ checkout, nonce, graphqlPath: '/graphql', scriptPath: SCRIPT_PATH, now });
    } catch (error) {
      const known = error instanceof GatewayError ? error : null;
      if (!isExpected(error)) request.log.error({ err: error, requestId: request.id }, 'a payment page failed');
      void reply.code(known?.row.status ?? 500);
      if (known?.retryAfterSeconds !== undefined) void reply.header('Retry-After', known.retryAfterSeconds);
      return known?.errorName === 'NOT_FOUND'
        ? renderNotFoundPage({ nonce })
        : renderErrorPage({ nonce, requestId: request.id });
    }
  });
}

/** Nothing but our own script and style runs, and nobody frames the page. */
function securePage(reply: FastifyReply, nonce: string): void {
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    "connect-src 'self'",
    "img-src 'self' data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ];
  void reply
    .type('text/html; charset=utf-8')
    .header('Content-Security-Policy', policy.join('; '))
    .header('Cache-Control', 'no-store');
}

async function readCheckout(schema: GraphQLSchema, id: string, contextValue: OperationContext): Promise<Checkout> {
  const result = await execute({ schema, document: DOCUMENT, variableValues: { id }, contextValue });
  const [error] = result.errors ?? [];
  if (error) throw error.originalError ?? error;
  return result.data?.['checkout'] as Checkout;
}
