// Registers what the api role serves over HTTP besides GraphQL: the table, the pages, the documents, and health.

import type { FastifyInstance } from 'fastify';
import type { OperationDefinitionNode } from 'graphql';
import type { OperationContext } from '../../access/caller.ts';
import type { Config } from '../../config/config.ts';
import { readInvoiceOf } from '../../database/queries/invoices/invoice-page.ts';
import { endMailsTo, readMailSender } from '../../domain/mail/unsubscriptions.ts';
import { readHaltedNetworks } from '../../domain/witness/witness.ts';
import type { Services } from '../../resolvers/services.ts';
import { guardOf, variableFaults } from '../../resolvers/operation/validation.ts';
import { createEndpoint } from '../../rest/endpoint.ts';
import type { Engine } from '../../graphql/engine.ts';
import { createGreenfieldEndpoint } from '../../rest/greenfield/endpoint.ts';
import { GREENFIELD_ROWS } from '../../rest/greenfield/rows.ts';
import { ROUTES } from '../../rest/routes/routes.ts';
import { registerGreenfield } from '../../server/greenfield-routes.ts';
import { builtFiles, registerConsole } from '../../server/pages/console-page.ts';
import { registerDocs } from '../../server/pages/docs-page.ts';
import type { LargeBodies } from '../../server/admission/large-bodies.ts';
import { registerHome } from '../../server/pages/home-page.ts';
import { registerHealth, type Metrics } from '../../server/metrics/health.ts';
import type { createIdentify } from '../../server/admission/authenticate.ts';
import { registerMailbox } from '../../server/pages/mailbox-page.ts';
import { registerPayPage, type FetchLogo } from '../../server/pages/pay-page.ts';
import { registerUnsubscribePage } from '../../server/pages/unsubscribe-page.ts';
import { registerRest } from '../../server/rest-routes.ts';
import type { Drain } from '../drain.ts';
import { readinessOf, type Loops } from '../lifecycle.ts';
import { createConsoleFiles } from './console-files.ts';

type Variables = Readonly<Record<string, unknown>>;

interface RoutesParts {
  readonly config: Config;
  readonly deps: Services['deps'];
  readonly loops: Loops;
  readonly engine: Engine;
  readonly server: FastifyInstance;
  readonly identify: ReturnType<typeof createIdentify>;
  readonly largeBodies: LargeBodies;
  readonly metrics: Metrics;
  readonly drain: Drain;
  readonly logos: { readonly fetch: FetchLogo };
}

/** The routes available in this environment. */
export const routesOf = ({ environment }: Config) =>
  ROUTES.filter((route) => environment === 'sandbox' || !route.sandboxOnly);

/** Registers the API's table, the pages, the documents, and health. */
export function registerEverything(parts: RoutesParts): void {
  const { config, deps, loops, engine, server, identify, largeBodies, metrics, drain, logos } = parts;
  const adapter = {
    engine,
    guardOf: (operation: OperationDefinitionNode) => guardOf(engine.schema, operation) as (context: unknown) => void,
    explain: (operation: OperationDefinitionNode, variables: Variables, context: unknown) =>
      variableFaults(engine.schema, operation, variables, context as OperationContext),
  };
  const { environment, registration, approvalHours, baseUrl, apiDocs: explorers, webhookSourceIps } = config;
  const { clock, db } = deps;
  const routes = routesOf(config);
  registerRest(server, { identify, largeBodies, endpoints: routes.map((route) => createEndpoint(adapter, route)) });
  const greenfield = GREENFIELD_ROWS.map((row) => createGreenfieldEndpoint(adapter, row));
  registerGreenfield(server, { identify, endpoints: greenfield, payUrl: config.payUrl });
  const files = createConsoleFiles(deps, builtFiles());
  loops.start(files.worker, { idleMs: 60_000 });
  registerConsole(server, { identify, environment, registration, approvalHours, findFile: files.find });
  registerHome(server, { identify, environment, baseUrl, explorers, mailbox: config.hasMailbox });
  registerPayPage(server, {
    engine,
    identify,
    clock,
    environment,
    fetchLogo: logos.fetch,
    invoiceOf: readInvoiceOf(db.em),
  });
  const unsubscriptions = {
    read: (token: string) => readMailSender(deps, token),
    end: (token: string) => endMailsTo(deps, token),
  };
  registerUnsubscribePage(server, { identify, unsubscriptions });
  if (config.hasMailbox) registerMailbox(server, { engine, identify, clock, environment });
  registerDocs(server, { schema: engine.schema, routes, identify, environment, baseUrl, explorers, webhookSourceIps });
  registerHealth(server, { checks: readinessOf(db, drain), readHalted: () => readHaltedNetworks(deps), metrics });
}
