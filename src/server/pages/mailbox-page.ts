// The sandbox's mailbox at /sandbox/mailbox: mails that leave nowhere, as their recipients would read them.

import type { FastifyInstance } from 'fastify';
import { MailboxDocument, type MailboxQuery } from '../../../web/pay/generated/operations.ts';
import { html, render, trusted, type Html } from '../../../web/pay/html.ts';
import { createRun, failedPage, identifyPayer, securePage, sendPage, type PageDeps } from './page-response.ts';

type Mail = MailboxQuery['sandboxMails'][number];

/** Registers the page. Where the mailbox is closed it does not exist. */
export function registerMailbox(server: FastifyInstance, deps: PageDeps): void {
  const read = createRun(deps.engine, MailboxDocument);
  server.get('/sandbox/mailbox', async (request, reply) => {
    const nonce = securePage(reply, { hasForms: true });
    try {
      const { to } = request.query as { to?: unknown };
      const asked = typeof to === 'string' && to.trim() !== '' ? to.trim() : null;
      const context = await identifyPayer(deps, request, reply);
      const { sandboxMails } = await read({ to: asked }, context);
      return await sendPage(request, reply, renderMailbox(sandboxMails, asked, nonce));
    } catch (error) {
      return sendPage(request, reply, failedPage(error, request, reply, nonce));
    }
  });
}

const STYLE = `:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}body{max-width:44rem;margin:0 auto;padding:1rem}
form{display:flex;gap:.5rem;flex-wrap:wrap;align-items:end}label{flex:1 1 14rem}input,button{font:inherit;padding:.5rem;width:100%;
box-sizing:border-box;border:1px solid;border-radius:.4rem}button{width:auto}article{border-top:1px solid;padding:1rem 0}
h2{font-size:1.1rem;margin:0}p{margin:.5rem 0;overflow-wrap:anywhere}.about{font-size:.9rem}`;

function renderMailbox(mails: readonly Mail[], to: string | null, nonce: string): string {
  const empty = to === null ? 'No mail was written yet.' : `No mail was written to ${to}.`;
  return `<!doctype html>${render(
    html`<html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="referrer" content="no-referrer" />
        <title>Mailbox of the sandbox</title>
        <style nonce="${nonce}">
          ${trusted(STYLE)}
        </style>
      </head>
      <body>
        <main>
          <h1>Mailbox</h1>
          <p>The sandbox sends no mail. What it would have sent is here, newest first.</p>
          <form>
            <label>E-mail address<input type="search" name="to" value="${to ?? ''}" /></label>
            <button>Show</button>
          </form>
          ${mails.length === 0 ? html`<p>${empty}</p>` : mails.map(renderOne)}
        </main>
      </body>
    </html>`,
  )}`;
}

const renderOne = ({ to, subject, text, createdAt }: Mail): Html =>
  html`<article>
    <h2>${subject}</h2>
    <p class="about">To ${to}, <time datetime="${createdAt}">${createdAt}</time></p>
    ${text.trim().split('\n\n').map(renderLine)}
  </article>`;

/** A line that is a link, and nothing else, leads there: our own words make no other. */
function renderLine(line: string): Html {
  const isLink = /^https?:\/\/[^\s]+$/.test(line) && URL.canParse(line);
  return isLink ? html`<p><a href="${line}">${line}</a></p>` : html`<p>${line}</p>`;
}
