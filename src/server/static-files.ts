// Static pages and files of the explorers: loaded on first use, compressed once, kept in memory. Pages carry a content
// security policy.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

/** One file. `load` is called once, on first use. */
export interface Asset {
  readonly type: string;
  load(): Promise<Buffer | string> | Buffer | string;
}

interface Prepared {
  readonly plain: Buffer;
  readonly zipped: Buffer;
  readonly etag: string;
}

const compress = promisify(gzip);

const FOR_FIVE_MINUTES = 'public, max-age=300';
/** A year, and browsers need not ask again: another content has another name. */
const FOR_GOOD = 'public, max-age=31536000, immutable';

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
      const { plain, zipped, etag } = await prepared;
      void reply.headers({
        ETag: etag,
        'Cache-Control': areHashed ? FOR_GOOD : FOR_FIVE_MINUTES,
        Vary: 'Accept-Encoding',
      });
      if (request.headers['if-none-match'] === etag) return reply.code(304).send();
      const asGzip = takesGzip(request);
      if (asGzip) void reply.header('Content-Encoding', 'gzip');
      return reply.type(asset.type).send(asGzip ? zipped : plain);
    });
  }
}

/** Whether the client accepts gzip. */
export function takesGzip({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  return new Negotiator({ headers }).encodings(['gzip']).length > 0;
}

async function prepare(asset: Asset): Promise<Prepared> {
  const plain = Buffer.from(await asset.load());
  const etag = `"${createHash('sha256').update(plain).digest('base64url').slice(0, 27)}"`;
  return { plain, zipped: await compress(plain), etag };
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
