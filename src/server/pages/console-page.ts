// The merchant console at /console and the operator's pages at /operator: for each, one page for all its addresses, and
// its built files.

import type { FastifyInstance } from 'fastify';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MARK } from '../../values/look/mark.ts';
import { GatewayError } from '../../values/errors.ts';
import { FOR_GOOD, registerAssets, sendPage, type Asset } from '../static-files.ts';
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

/** The applications, each at a path and in a folder of its name. */
const APPLICATIONS = ['console', 'operator'] as const;

/** A built file has a hash of its contents in its name. */
const BUILT_FILE = /^[\w.-]{1,100}-[\w-]{8}\.(js|css|svg)$/;

interface ConsoleParts {
  readonly identify: ReturnType<typeof createIdentify>;
  /** Written into the page: in the sandbox the console offers the faucet and no explorers. */
  readonly environment: 'sandbox' | 'live';
  /** Written into the page: it offers registration where that is open. */
  readonly registration: 'open' | 'invite' | 'closed';
  /** Written into the page: it says until when a payout may be approved. */
  readonly approvalHours: number;
  /** Reads a file of another build by its path; null if there is none. */
  readonly findFile: (path: string) => Promise<Buffer | null>;
}

/** The files of this build, by their paths on the site. */
export const builtFiles = () =>
  APPLICATIONS.flatMap((name) =>
    namesIn(name).map((file) => ({
      path: posix.join(name, 'assets', file),
      load: () => readFile(assetOf(name, file)),
    })),
  );

/** Registers both, with everything below them. */
export function registerConsole(server: FastifyInstance, { identify, findFile, ...written }: ConsoleParts): void {
  for (const name of APPLICATIONS) {
    const page = readFileSync(join(folderOf(name), 'index.html'), 'utf8')
      .replace('href="data:,"', `href="${MARK}"`)
      .replace('content="ENVIRONMENT"', `content="${written.environment}"`)
      .replace('content="REGISTRATION"', `content="${written.registration}"`)
      .replace('content="APPROVAL_HOURS"', `content="${String(written.approvalHours)}"`);
    registerAssets(server, `/${name}/assets`, filesOf(name), { areHashed: true });
    registerOtherBuilds(server, name, { identify, findFile });
    for (const url of [`/${name}`, `/${name}/*`])
      server.get(url, async (request, reply) => {
        await identify(request, reply, { acceptSecret: false, isPublic: true });
        const nonce = randomBytes(16).toString('base64');
        return sendPage(reply, policyOf(nonce), page.replaceAll('nonce="NONCE"', `nonce="${nonce}"`));
      });
  }
}

const assetOf = (name: string, file: string) => join(folderOf(name), 'assets', file);
const namesIn = (name: string) => readdirSync(assetOf(name, '')).filter((file) => extname(file) in TYPES);
const typeOf = (file: string) => TYPES[extname(file)] ?? '';

function filesOf(name: string): Record<string, Asset> {
  return Object.fromEntries(
    namesIn(name).map((file) => [file, { type: typeOf(file), load: () => readFile(assetOf(name, file)) }]),
  );
}

/** What is no file of this build may be one of another: a page of that one asks for its own parts. */
function registerOtherBuilds(
  server: FastifyInstance,
  name: string,
  { identify, findFile }: Pick<ConsoleParts, 'identify' | 'findFile'>,
): void {
  server.get(`/${name}/assets/*`, async (request, reply) => {
    await identify(request, reply, { acceptSecret: false, isPublic: true });
    const { '*': file } = request.params as { '*': string };
    const body = BUILT_FILE.test(file) ? await findFile(posix.join(name, 'assets', file)) : null;
    if (!body) throw new GatewayError('NOT_FOUND');
    return reply.type(typeOf(file)).header('Cache-Control', FOR_GOOD).send(body);
  });
}
