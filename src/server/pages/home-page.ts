// The root of the site: where everything is, as a page for browsers and as JSON for programs.

import type { FastifyInstance } from 'fastify';
import { document } from '../../../web/pay/document.ts';
import { html } from '../../../web/pay/html.ts';
import { LANGUAGES } from '../../../web/pay/languages.ts';
import type { createIdentify } from '../admission/authenticate.ts';
import { securePage } from './page-response.ts';

interface HomeDeps {
  readonly identify: ReturnType<typeof createIdentify>;
  readonly environment: 'sandbox' | 'live';
  /** Where this deployment is, without a slash at the end. */
  readonly baseUrl: string;
  /** Whether /docs and GraphiQL are served. */
  readonly explorers: boolean;
  /** Whether the sandbox's mailbox is open. */
  readonly mailbox: boolean;
}

/** One place: its name in JSON, its path without the first slash, what it is called, and who it is for. */
interface Place {
  readonly name: string;
  readonly path: string;
  readonly title: string;
  readonly about: string;
}

const CONSOLE = place(
  'console',
  'console',
  'Console',
  'Payments, invoices, payouts, webhooks and settings of a merchant',
);
const EXPLORERS = [
  place('docs', 'docs', 'API documentation', 'Every call of the REST API, to read and to try'),
  place('graphiql', 'graphql', 'GraphiQL', 'The GraphQL API, to read and to try'),
];
const MAILBOX = place('mailbox', 'sandbox/mailbox', 'Mailbox', 'The mails that the sandbox would have sent');
const PLAIN = [
  place('openapi', 'openapi.json', 'openapi.json', 'The REST API for programs'),
  place('operator', 'operator', 'Operator', 'For those who run this gateway'),
  place('health', 'healthz', 'Health', 'Whether this process is alive'),
  place('readiness', 'readyz', 'Readiness', 'Whether it takes calls'),
];

function place(name: string, path: string, title: string, about: string): Place {
  return { name, path, title, about };
}

/** The places that this deployment has. */
export function placesOf({ explorers, mailbox }: Pick<HomeDeps, 'explorers' | 'mailbox'>): readonly Place[] {
  return [CONSOLE, ...(explorers ? EXPLORERS : []), ...(mailbox ? [MAILBOX] : []), ...PLAIN];
}

/** Registers GET /. */
export function registerHome(server: FastifyInstance, { identify, environment, baseUrl, ...has }: HomeDeps): void {
  const places = placesOf(has);
  const urls = places.map(({ name, path }) => [name, `${baseUrl}/${path}`] as const);
  const links = { api: `${baseUrl}/api/v1`, graphql: `${baseUrl}/graphql`, ...Object.fromEntries(urls) };
  const answer = { success: true, data: { name: 'Turnpike', environment, links } };
  server.get('/', async (request, reply) => {
    await identify(request, reply, { acceptSecret: false, isPublic: true });
    void reply.header('Vary', 'Accept');
    if (!(request.headers.accept ?? '').includes('text/html')) return answer;
    return reply.send(renderHome(securePage(reply, { hasForms: false }), environment, places));
  });
}

const ENGLISH = LANGUAGES.find(({ code }) => code === 'en');

/** Links are relative, so that the page works below a prefix as well. */
function renderHome(nonce: string, environment: HomeDeps['environment'], places: readonly Place[]): string {
  if (!ENGLISH) throw new Error('There is no English');
  const isTest = environment === 'sandbox';
  return document({ nonce, language: ENGLISH }, { title: `Turnpike (${environment})`, head: '', accent: null }, [
    html`<main class="message">
      ${isTest && html`<p class="test">This is the sandbox: no money moves here.</p>`}
      <h1 class="heading">Turnpike</h1>
      <dl class="help">
        ${places.map(
          ({ path, title, about }) =>
            html`<dt><a href="${path}">${title}</a></dt>
              <dd>${about}</dd>`,
        )}
      </dl>
    </main>`,
  ]);
}
