// The merchant console at /console and the operator's pages at /operator: for each, one page for all its addresses, and
// its built files.

import type { FastifyInstance } from 'fastify';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { registerAssets, sendPage, type Asset } from '../static-files.ts';
import type { createIdentify } from '../admission/authenticate.ts';

/** The output folder of an application's build. */
const folderOf = (name: string) => fileURLToPath(new URL(`../../../web/${name}/`, import.meta.url));

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/**
 * Its scripts and styles are files of ours. Styles that components set on single elements go through the document's
 * object model, which the policy does not count; a merchant's logo may come from any https address.
 */
const policyOf = (nonce: string) => [
  `script-src 'self' 'nonce-${nonce}'`,
  `style-src 'self' 'nonce-${nonce}'`,
  "img-src 'self' data: https:",
  "connect-src 'self'",
];

interface ConsoleParts {
  readonly identify: ReturnType<typeof createIdentify>;
  /** Written into the page: in the sandbox the console offers the faucet and no explorers. */
  readonly environment: 'sandbox' | 'live';
  /** Written into the page: it offers registration where that is open. */
  readonly registration: 'open' | 'invite' | 'closed';
  /** Written into the page: it says until when a payout may be approved. */
  readonly approvalHours: number;
}

/** Registers both, with everything below them. */
export function registerConsole(server: FastifyInstance, { identify, ...written }: ConsoleParts): void {
  for (const name of ['console', 'operator']) {
    const folder = folderOf(name);
    const page = readFileSync(join(folder, 'index.html'), 'utf8')
      .replace('content="ENVIRONMENT"', `content="${written.environment}"`)
      .replace('content="REGISTRATION"', `content="${written.registration}"`)
      .replace('content="APPROVAL_HOURS"', `content="${String(written.approvalHours)}"`);
    registerAssets(server, `/${name}/assets`, filesOf(join(folder, 'assets')), { areHashed: true });
    for (const url of [`/${name}`, `/${name}/*`])
      server.get(url, async (request, reply) => {
        await identify(request, reply, { acceptSecret: false, isPublic: true });
        const nonce = randomBytes(16).toString('base64');
        return sendPage(reply, policyOf(nonce), page.replaceAll('nonce="NONCE"', `nonce="${nonce}"`));
      });
  }
}

function filesOf(folder: string): Record<string, Asset> {
  return Object.fromEntries(
    readdirSync(folder)
      .filter((name) => extname(name) in TYPES)
      .map((name) => [name, { type: TYPES[extname(name)] ?? '', load: () => readFile(join(folder, name)) }]),
  );
}
