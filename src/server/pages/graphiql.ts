// GraphiQL, for browsers that open /graphql. Its files are served by this gateway alone.

import type { FastifyInstance, FastifyRequest } from 'fastify';
import { leadOutOfFolder, registerAssets, sendPage, type Asset } from '../static-files.ts';
import type { createIdentify } from '../admission/authenticate.ts';

interface GraphiqlDeps {
  readonly identify: ReturnType<typeof createIdentify>;
}

const ASSETS_PATH = '/docs/graphiql';

/** Registers the page, on the path of the API itself, and its files. */
export function registerGraphiql(server: FastifyInstance, { identify }: GraphiqlDeps): void {
  registerAssets(server, ASSETS_PATH, ASSETS);
  // A hook, not a route: the route of /graphql answers everything else.
  server.addHook('onRequest', async (request, reply): Promise<unknown> => {
    if (!asksForPage(request)) return;
    await identify(request, reply, { acceptSecret: false, isPublic: true });
    void reply.header('Vary', 'Accept');
    return leadOutOfFolder(request, reply, 'graphql') ?? sendPage(reply, POLICY, PAGE);
  });
}

/** Whether a browser opens /graphql, without an operation. */
function asksForPage({ method, url, headers }: FastifyRequest): boolean {
  const isBrowser = (method === 'GET' || method === 'HEAD') && (headers.accept ?? '').includes('text/html');
  return isBrowser && url.split('?')[0] === '/graphql' && !/[?&](query|extensions)=/.test(url);
}

/** The editor writes style elements that no nonce reaches; scripts are files only. */
const POLICY = [
  "script-src 'self'",
  "worker-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "font-src 'self' data:",
  "img-src 'self' data:",
  "connect-src 'self'",
];

/** Links are relative, so that the page works below a prefix as well. */
const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Turnpike GraphiQL</title>
    <link rel="icon" type="image/png" href="docs/assets/favicon.png" />
    <link rel="stylesheet" href="docs/graphiql/graphiql.css" />
    <link rel="stylesheet" href="docs/graphiql/page.css" />
  </head>
  <body>
    <noscript><p>GraphiQL needs JavaScript.</p></noscript>
    <div id="root"></div>
    <script src="docs/graphiql/environment.js" defer></script>
    <script src="docs/graphiql/graphiql.js" defer></script>
    <script src="docs/graphiql/start.js" defer></script>
  </body>
</html>
`;

const STYLE = `html, body, #root { height: 100%; margin: 0; }
`;

/** Tells the editor where its workers are. */
const ENVIRONMENT = `'use strict';
self.MonacoEnvironment = {
  globalAPI: false,
  getWorkerUrl: (_module, label) => new URL('docs/graphiql/' + label + '.js', document.baseURI).href,
};
`;

/**
 * Operations go to /graphql, subscriptions to /graphql/stream. The package's own fetcher sends both to one place.
 * Neither the token nor the operation is kept: not in the browser's storage, and not in the address.
 */
const START = String.raw`'use strict';
const endpoint = new URL('graphql', document.baseURI).href;

const post = (url, accept, params, { headers, signal } = {}) =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept, ...headers },
    body: JSON.stringify(params),
    signal,
  });

async function* read(params, options) {
  try {
    const response = await post(endpoint + '/stream', 'text/event-stream', params, options);
    if (!response.ok) return yield await response.json();
    let rest = '';
    for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
      const events = (rest + chunk).split('\n\n');
      rest = events.pop();
      for (const event of events) {
        const data = /^data: (.+)$/m.exec(event);
        if (data && /^event: next$/m.test(event)) yield JSON.parse(data[1]);
      }
    }
  } catch (error) {
    if (!options.signal.aborted) throw error;
  }
}

function follow(params, headers) {
  const stop = new AbortController();
  const results = read(params, { headers, signal: stop.signal });
  const following = {
    [Symbol.asyncIterator]: () => following,
    next: () => results.next(),
    return: async () => {
      stop.abort();
      return { done: true, value: undefined };
    },
  };
  return following;
}

// Read from the text: the state of the editor lags behind typing.
const isSubscription = ({ query, operationName }) => {
  let text = query.replace(/"{3}[^]*?"{3}|"(?:\\.|[^"\\])*"|#.*/g, ' ');
  const inner = /\{[^{}]*\}|\([^()]*\)/g;
  for (let before = ''; before !== text; ) [before, text] = [text, text.replace(inner, ' ')];
  const definitions = [...text.matchAll(/\b(query|mutation|subscription|fragment)\b\s*(\w*)/g)];
  return definitions.some(([, kind, name]) => kind === 'subscription' && (!operationName || name === operationName));
};

YogaGraphiQL.renderYogaGraphiQL(document.querySelector('#root'), {
  title: 'Turnpike',
  logo: ' ',
  fetcher: (params, { headers } = {}) =>
    isSubscription(params)
      ? follow(params, headers)
      : post(endpoint, 'application/graphql-response+json, application/json', params, { headers }).then((response) =>
          response.json(),
        ),
  shouldPersistHeaders: false,
  onEditQuery: () => undefined,
  defaultQuery: [
    '# Most operations need a token.',
    '# createAccessToken(keyId, secret) gets one;',
    '# write it below, under "Headers":',
    '# { "authorization": "Bearer eyJ..." }',
    '',
    '{',
    '  currencies {',
    '    currency',
    '    network',
    '    available',
    '  }',
    '}',
    '',
  ].join('\n'),
});
`;

/** 9 MB of text in one module, loaded on the first visit only. */
const packaged = (name: 'js' | 'css' | 'editorWorkerService' | 'jsonWorker' | 'graphqlWorker') => async () =>
  (await import('@graphql-yoga/render-graphiql/graphiql'))[name];

const JAVASCRIPT = 'text/javascript; charset=utf-8';
const CSS = 'text/css; charset=utf-8';

const ASSETS: Readonly<Record<string, Asset>> = {
  'graphiql.js': { type: JAVASCRIPT, load: packaged('js') },
  'graphiql.css': { type: CSS, load: packaged('css') },
  'editorWorkerService.js': { type: JAVASCRIPT, load: packaged('editorWorkerService') },
  'json.js': { type: JAVASCRIPT, load: packaged('jsonWorker') },
  'graphql.js': { type: JAVASCRIPT, load: packaged('graphqlWorker') },
  'page.css': { type: CSS, load: () => STYLE },
  'environment.js': { type: JAVASCRIPT, load: () => ENVIRONMENT },
  'start.js': { type: JAVASCRIPT, load: () => START },
};
