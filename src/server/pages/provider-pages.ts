// Signing in by a provider of identities: /auth/oidc/start leads there, /auth/oidc/callback comes back. The console's
// cookie is not sent with a way that began on another site, so the callback answers a page that goes on by itself.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { OperationContext } from '../../access/caller.ts';
import type { ProviderPages, VisitOutcome, VisitRefusal } from '../../access/provider-pages.ts';
import { html, render, trusted, type Html } from '../../../web/pay/html.ts';
import { MARK } from '../../values/look/mark.ts';
import { GatewayError } from '../../values/errors.ts';
import type { createIdentify } from '../admission/authenticate.ts';
import { markFailed, securePage, sendPage } from './page-response.ts';

interface ProviderPageParts {
  readonly identify: ReturnType<typeof createIdentify>;
  readonly pages: ProviderPages;
}

const queryOf = ({ url }: FastifyRequest): string => url.split('?', 2)[1] ?? '';

/** No other method: a HEAD request would use up what the browser came back with. */
const ROUTE = { exposeHeadRoute: false } as const;

/** Registers the two paths. Every refusal is a page with the way back to the console. */
export function registerProviderPages(server: FastifyInstance, { identify, pages }: ProviderPageParts): void {
  const contextOf = (request: FastifyRequest, reply: FastifyReply): Promise<OperationContext> =>
    identify(request, reply, { acceptSecret: false, isPublic: true, isSignInPage: true });

  server.get('/auth/oidc/start', ROUTE, async (request, reply) => {
    const nonce = securePage(reply, { hasForms: false });
    try {
      const challenge = new URLSearchParams(queryOf(request)).get('challenge');
      const asked = await pages.start(await contextOf(request, reply), challenge);
      if ('url' in asked) return await reply.redirect(asked.url, 303);
      return await refuse(request, reply, nonce, { kind: 'refused', why: asked.refusal });
    } catch (error) {
      return await fail(error, request, reply, nonce);
    }
  });
  server.get('/auth/oidc/callback', ROUTE, async (request, reply) => {
    const nonce = securePage(reply, { hasForms: false });
    try {
      const outcome = await pages.finish(await contextOf(request, reply), queryOf(request));
      if ('isConfirmation' in outcome) return await refuse(request, reply, nonce, outcome);
      return await sendPage(request, reply, done(outcome, nonce));
    } catch (error) {
      return await fail(error, request, reply, nonce);
    }
  });

  function fail(error: unknown, request: FastifyRequest, reply: FastifyReply, nonce: string): Promise<FastifyReply> {
    markFailed(error, request, reply);
    const known = error instanceof GatewayError ? error : new GatewayError('INTERNAL');
    return sendPage(request, reply, sayNo({ error: known.errorName, message: known.message, kind: 'failed' }, nonce));
  }

  function refuse(
    request: FastifyRequest,
    reply: FastifyReply,
    nonce: string,
    refusal: VisitRefusal & { readonly isConfirmation?: boolean },
  ): Promise<FastifyReply> {
    if (refusal.kind === 'failed') markFailed(new GatewayError(refusal.error), request, reply);
    else void reply.code(STATUS[refusal.why]);
    return sendPage(request, reply, sayNo(refusal, nonce));
  }

  function sayNo(refusal: VisitRefusal & { readonly isConfirmation?: boolean }, nonce: string): string {
    const [title, text] = wordsOf(refusal, pages.name);
    const back = html`<p><a href="/console">Back to the console</a></p>`;
    return document({
      title,
      nonce,
      head: null,
      body: html`<p>${text}</p>
        ${refusal.isConfirmation ? CLOSE : back}`,
    });
  }
}

const CLOSE = html`<p>You can close this window, and try again where you were asked.</p>`;

type Why = Extract<VisitRefusal, { readonly kind: 'refused' }>['why'];

const STATUS: Readonly<Record<Why, number>> = {
  declined: 401,
  unverified: 401,
  unavailable: 503,
  unknown: 403,
  foreign: 403,
  'has-account': 409,
};

function wordsOf(refusal: VisitRefusal, name: string): readonly [title: string, text: string] {
  if (refusal.kind === 'failed')
    return refusal.error === 'NOT_FOUND'
      ? [
          'This sign-in has ended',
          'It was used already, took too long, or began in another browser. Please begin again.',
        ]
      : ['That did not work', `${refusal.message}.`.replace(/\.\.$/, '.')];
  return WORDS[refusal.why](name);
}

const WORDS: Readonly<Record<Why, (name: string) => readonly [title: string, text: string]>> = {
  declined: (name) => ['You were not signed in', `${name} did not sign you in, or you turned back there.`],
  unverified: (name) => ['You were not signed in', `What ${name} answered could not be verified. Please begin again.`],
  unavailable: (name) => [`${name} does not answer`, 'Please try again in a moment, or sign in in another way.'],
  unknown: (name) => [
    'Nobody here has this account',
    `Your account at ${name} is not linked to anybody here. Sign in with your password and link it under Account, or ask for an invitation.`,
  ],
  foreign: (name) => ['This is another account', `Sign in at ${name} as who you are signed in here.`],
  'has-account': (name) => [
    'You have an account here already',
    `The address that was invited has an account, which your account at ${name} is not linked to. Sign in, link it under Account if you like, and open the link of the mail again.`,
  ],
};

type Done = Exclude<VisitOutcome, VisitRefusal>;

/** Goes on to the console; a window that was opened to confirm tells the page that waits for it, and closes. */
function done(outcome: Done, nonce: string): string {
  if (outcome.kind === 'confirmed') {
    const script = html`<script nonce="${nonce}">
      ${trusted("new BroadcastChannel('turnpike-confirmation').postMessage('confirmed');close()")};
    </script>`;
    const body = html`<p>You can close this window.</p>
      ${script}`;
    return document({ title: 'Confirmed', nonce, head: null, body });
  }
  const to = placeOf(outcome);
  const head = html`<meta http-equiv="refresh" content="0;url=${to}" />`;
  return document({ title: 'One moment', nonce, head, body: html`<p><a href="${to}">Go on to the console</a></p>` });
}

/** The question for a factor stands in the fragment, which is sent to nobody. */
function placeOf(outcome: Done): string {
  if (outcome.kind === 'linked') return '/console/account';
  if (outcome.kind !== 'asked') return '/console';
  return `/console#question=${Buffer.from(JSON.stringify(outcome.question)).toString('base64url')}`;
}

const STYLE = `:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}body{max-width:32rem;margin:0 auto;padding:2rem 1rem}
h1{font-size:1.4rem}p{overflow-wrap:anywhere}`;

interface Page {
  readonly title: string;
  readonly nonce: string;
  readonly head: Html | null;
  readonly body: Html;
}

function document({ title, nonce, head, body }: Page): string {
  return `<!doctype html>${render(
    html`<html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="referrer" content="no-referrer" />
        <link rel="icon" href="${trusted(MARK)}" />
        ${head}
        <title>${title}</title>
        <style nonce="${nonce}">
          ${trusted(STYLE)}
        </style>
      </head>
      <body>
        <main>
          <h1>${title}</h1>
          ${body}
        </main>
      </body>
    </html>`,
  )}`;
}
