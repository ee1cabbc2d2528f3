// Pages of the explorers under a policy, and their files: loaded when first asked for, compressed once, kept in memory.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

/** One file. `load` is called once, when somebody first asks for it. */
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

/** Registers files below a path, by their names. They may be kept for five minutes, and are then asked about anew. */
export function registerAssets(server: FastifyInstance, path: string, assets: Readonly<Record<string, Asset>>): void {
  for (const [name, asset] of Object.entries(assets)) {
    let prepared: Promise<Prepared> | null = null;
    server.get(`${path}/${name}`, async (request, reply) => {
      prepared ??= prepare(asset).catch((error: unknown) => {
        prepared = null; // The next one who asks tries again.
        throw error;
      });
      const { plain, zipped, etag } = await prepared;
      void reply.headers({ ETag: etag, 'Cache-Control': 'public, max-age=300', Vary: 'Accept-Encoding' });
      if (request.headers['if-none-match'] === etag) return reply.code(304).send();
      const asGzip = takesGzip(request);
      if (asGzip) void reply.header('Content-Encoding', 'gzip');
      return reply.type(asset.type).send(asGzip ? zipped : plain);
    });
  }
}

/** Whether who asks can read gzip. */
export function takesGzip({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  return /\bgzip\b(?!\s*;\s*q=0)/.test(String(headers['accept-encoding'] ?? ''));
}

async function prepare(asset: Asset): Promise<Prepared> {
  const plain = Buffer.from(await asset.load());
  const etag = `"${createHash('sha256').update(plain).digest('base64url').slice(0, 27)}"`;
  return { plain, zipped: await compress(plain), etag };
}

/** Answers a page that runs and reads nothing but what its policy names, and that nobody frames. */
export function sendPage(reply: FastifyReply, policy: readonly string[], page: string): FastifyReply {
  const rest = ["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"];
  return reply
    .type('text/html; charset=utf-8')
    .header('Content-Security-Policy', ["default-src 'none'", ...policy, ...rest].join('; '))
    .header('Cache-Control', 'no-cache')
    .send(page);
}
