// Static pages and files of the explorers: loaded on first use, compressed once, kept in memory. Pages carry a content
// security policy.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/** One file. `load` is called once, on first use. */
export interface Asset {
  readonly type: string;
  load(): Promise<Buffer | string> | Buffer | string;
}

interface Prepared {
  readonly plain: Buffer;
  readonly gzip: Buffer;
  /** A tenth smaller than gzip; browsers take it over HTTPS and on this machine. */
  readonly br: Buffer;
  readonly etag: string;
}

const ENCODINGS = ['br', 'gzip'] as const;
const zip = promisify(gzip);
const zipWithBrotli = promisify(brotliCompress);
/** The highest that does not take seconds for a script of a megabyte. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };

const FOR_FIVE_MINUTES = 'public, max-age=300';
/** A year, and browsers need not ask again: another content has another name. */
export const FOR_GOOD = 'public, max-age=31536000, immutable';

/**
 * Registers files below a path, by their names. Browsers may cache them for five minutes, then revalidate; for good
 * where the names have hashes of the contents.
 */
export function registerAssets(
  server: FastifyInstance,
  path: string,
  assets: Readonly<Record<string, Asset>>,
  { areHashed = false }: { readonly areHashed?: boolean } = {},
): void {
  for (const [name, asset] of Object.entries(assets)) {
    let prepared: Promise<Prepared> | null = null;
    server.get(`${path}/${name}`, async (request, reply) => {
      prepared ??= prepare(asset).catch((error: unknown) => {
        prepared = null; // The next request tries again.
        throw error;
      });
      const { etag, ...variants } = await prepared;
      void reply.headers({
        ETag: etag,
        'Cache-Control': areHashed ? FOR_GOOD : FOR_FIVE_MINUTES,
        Vary: 'Accept-Encoding',
      });
      if (request.headers['if-none-match'] === etag) return reply.code(304).send();
      const encoding = encodingFor(request);
      if (encoding) void reply.header('Content-Encoding', encoding);
      return reply.type(asset.type).send(variants[encoding ?? 'plain']);
    });
  }
}

/** The best encoding of ours that the client takes; undefined if there is none. */
function encodingFor({ headers }: Pick<FastifyRequest, 'headers'>): (typeof ENCODINGS)[number] | undefined {
  const taken = new Negotiator({ headers }).encodings(ENCODINGS);
  return ENCODINGS.find((encoding) => taken.includes(encoding));
}

/** Whether the client accepts gzip. */
export function takesGzip({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  return new Negotiator({ headers }).encodings(['gzip']).length > 0;
}

async function prepare(asset: Asset): Promise<Prepared> {
  const plain = Buffer.from(await asset.load());
  const etag = `"${createHash('sha256').update(plain).digest('base64url').slice(0, 27)}"`;
  const [zipped, br] = await Promise.all([zip(plain), zipWithBrotli(plain, BROTLI)]);
  return { plain, gzip: zipped, br, etag };
}

/**
 * For a page whose links are relative: redirects a browser that asked for it with a slash at the end, below which they
 * would lead nowhere; null if it asked without.
 */
export function leadOutOfFolder(request: FastifyRequest, reply: FastifyReply, name: string): FastifyReply | null {
  const [path = '', ...query] = request.originalUrl.split('?');
  if (!path.endsWith('/')) return null;
  return reply.redirect(['../' + name, ...query].join('?'), 308);
}

/** Answers with a page that may load only what its policy names, and that cannot be framed. */
export function sendPage(reply: FastifyReply, policy: readonly string[], page: string): FastifyReply {
  const rest = ["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"];
  return reply
    .type('text/html; charset=utf-8')
    .header('Content-Security-Policy', ["default-src 'none'", ...policy, ...rest].join('; '))
    .header('Cache-Control', 'no-cache')
    .send(page);
}
