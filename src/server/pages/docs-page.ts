// The API documentation: /openapi.json for programs, and at /docs an explorer that loads nothing from elsewhere.

import type { FastifyInstance } from 'fastify';
import type { GraphQLSchema } from 'graphql';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { html, render } from '../../../web/pay/html.ts';
import { buildOpenApi } from '../../rest/openapi/document.ts';
import type { Route } from '../../rest/routes/route.ts';
import { leadOutOfFolder, registerAssets, sendPage, type Asset } from '../static-files.ts';
import { registerGraphiql } from './graphiql.ts';
import type { createIdentify } from '../admission/authenticate.ts';

export interface DocsDeps {
  readonly schema: GraphQLSchema;
  /** Those of this environment. */
  readonly routes: readonly Route[];
  readonly environment: 'sandbox' | 'live';
  /** Where this deployment is, without a slash at the end. */
  readonly baseUrl: string;
  /** Whether /docs and GraphiQL are served; /openapi.json always is. */
  readonly explorers: boolean;
  /** Addresses that webhooks come from, as the operator publishes them. */
  readonly webhookSourceIps: readonly string[];
  readonly identify: ReturnType<typeof createIdentify>;
}

const OPEN = { acceptSecret: false, isPublic: true } as const;

/** Registers /openapi.json, and the explorers if they are enabled. */
export function registerDocs(server: FastifyInstance, deps: DocsDeps): void {
  const { schema, routes, environment, baseUrl, identify } = deps;
  let text: string | null = null;
  server.get('/openapi.json', async (request, reply) => {
    await identify(request, reply, OPEN);
    text ??= JSON.stringify(buildOpenApi(schema, routes, { serverUrl: baseUrl, environment }));
    return reply.type('application/json; charset=utf-8').header('Cache-Control', 'public, max-age=300').send(text);
  });
  if (!deps.explorers) return;
  registerGraphiql(server, { identify });
  registerAssets(server, '/docs/assets', ASSETS);
  const page = renderDocsPage(deps);
  server.get('/docs', async (request, reply) => {
    await identify(request, reply, OPEN);
    return leadOutOfFolder(request, reply, 'docs') ?? sendPage(reply, POLICY, page);
  });
}

/** Swagger UI draws its icons from `data:` URLs; it needs neither inline script nor inline style. */
const POLICY = ["script-src 'self'", "style-src 'self'", "img-src 'self' data:", "connect-src 'self'"];

/** Links are relative, so that the page works below a prefix as well. */
function renderDocsPage({ environment, webhookSourceIps }: DocsDeps): string {
  const sources =
    webhookSourceIps.length > 0
      ? html`Webhooks come from <code>${webhookSourceIps.join(', ')}</code>.`
      : html`Where webhooks come from is for the operator to say (<code>WEBHOOK_SOURCE_IPS</code>).`;
  return render(
    html`<!doctype html>
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <title>Turnpike API (${environment})</title>
          <link rel="icon" type="image/png" href="docs/assets/favicon.png" />
          <link rel="stylesheet" href="docs/assets/swagger-ui.css" />
          <link rel="stylesheet" href="docs/assets/page.css" />
        </head>
        <body>
          <header>
            <p>
              This is the ${environment}. The document: <a href="openapi.json">openapi.json</a>. GraphQL:
              <a href="graphql">GraphiQL</a>. ${sources}
            </p>
          </header>
          <main id="explorer"></main>
          <noscript><p>The explorer needs JavaScript; openapi.json does not.</p></noscript>
          <script src="docs/assets/swagger-ui.js" defer></script>
          <script src="docs/assets/start.js" defer></script>
        </body>
      </html>`,
  );
}

const STYLE = `body { margin: 0; }
header p { max-width: 1460px; margin: 0 auto; padding: 1rem 20px 0; font: 14px/1.5 sans-serif; }
`;

/** Calls go to the origin of the page: the server named in the document may be another name of the same gateway. */
const START = `'use strict';
const root = new URL('.', document.baseURI);
SwaggerUIBundle({
  url: new URL('openapi.json', root).href,
  dom_id: '#explorer',
  deepLinking: true,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  persistAuthorization: false,
  validatorUrl: null,
  requestInterceptor: (request) => {
    const { pathname, search } = new URL(request.url, root);
    request.url = new URL(pathname + search, root).href;
    return request;
  },
});
`;

const JAVASCRIPT = 'text/javascript; charset=utf-8';
const CSS = 'text/css; charset=utf-8';

const packaged = (name: string) => () => readFile(createRequire(import.meta.url).resolve(`swagger-ui-dist/${name}`));

const ASSETS: Readonly<Record<string, Asset>> = {
  'swagger-ui.js': { type: JAVASCRIPT, load: packaged('swagger-ui-bundle.js') },
  'swagger-ui.css': { type: CSS, load: packaged('swagger-ui.css') },
  'favicon.png': { type: 'image/png', load: packaged('favicon-32x32.png') },
  'page.css': { type: CSS, load: () => STYLE },
  'start.js': { type: JAVASCRIPT, load: () => START },
};
