// Fetches merchants' logos for the payment page, under the same address rules as webhooks.

import { performance } from 'node:perf_hooks';
import { Agent, request } from 'undici';
import { isPublicAddress } from '../values/internet/ip-range.ts';
import { readWebhookUrl } from '../values/internet/webhook-url.ts';
import { createDnsResolver, systemResolver } from './dns.ts';
import { createPinnedConnector, type Resolver } from './connector.ts';

export interface ImagesOptions {
  /** Whether to allow non-public addresses and plain http (`WEBHOOK_ALLOW_PRIVATE`); otherwise https only. */
  readonly allowPrivate: boolean;
  readonly resolver?: Resolver;
  /** PEM certificates to trust instead of the system's. */
  readonly ca?: string;
  readonly log?: { warn(fields: object, message: string): void };
}

export interface Image {
  /** Detected from the bytes; the server's Content-Type is ignored. */
  readonly type: string;
  readonly body: Buffer;
}

export interface Images {
  /** Returns the image at a URL, cached for a while. Null if there is no image or it must not be shown. */
  fetch(url: string): Promise<Image | null>;
  close(): Promise<void>;
}

/** Keeps the payment page with its script and one image within 60 KiB. */
export const MOST_IMAGE_BYTES = 40 * 1024;
const DEADLINE_MS = 5_000;
const KEEP_MS = 10 * 60_000;
/** Failures are cached for less time, because the merchant may be fixing the URL. */
const KEEP_FAILURE_MS = 60_000;
const MOST_KEPT = 100;
const MOST_UNDER_WAY = 20;

interface Kept {
  readonly image: Promise<Image | null>;
  until: number;
}

/** Creates the client. */
export function createImages(options: ImagesOptions): Images {
  const { allowPrivate, log } = options;
  const agent = new Agent({
    connect: createPinnedConnector({
      isAllowed: allowPrivate ? () => true : isPublicAddress,
      resolve: options.resolver ?? (allowPrivate ? systemResolver : createDnsResolver({ timeoutMs: DEADLINE_MS })),
      timeoutMs: DEADLINE_MS,
      ca: options.ca,
      onRefused: (host, addresses) => log?.warn({ host, addresses }, 'logo refused: not a public address'),
    }),
    connections: 2,
    allowH2: false,
    keepAliveTimeout: 1_000,
    headersTimeout: DEADLINE_MS,
    bodyTimeout: DEADLINE_MS,
  });
  const kept = new Map<string, Kept>();
  let underWay = 0;

  async function load(url: string): Promise<Image | null> {
    const target = readWebhookUrl(url, { allowPrivate });
    if (!(target instanceof URL) || (target.protocol !== 'https:' && !allowPrivate)) return null;
    underWay += 1;
    try {
      return await download(agent, target);
    } catch {
      return null; // The page is shown without an image.
    } finally {
      underWay -= 1;
    }
  }

  return {
    async fetch(url) {
      const cached = kept.get(url);
      if (cached && cached.until > performance.now()) return cached.image;
      if (underWay >= MOST_UNDER_WAY) return null;
      const image = load(url);
      const entry: Kept = { image, until: Infinity };
      kept.delete(url);
      kept.set(url, entry);
      const [first] = kept.keys();
      if (kept.size > MOST_KEPT && first !== undefined) kept.delete(first);
      entry.until = performance.now() + ((await image) ? KEEP_MS : KEEP_FAILURE_MS);
      return image;
    },
    close: () => agent.destroy(),
  };
}

/** Redirects are not followed, because they could lead to a forbidden address. Nothing is decompressed. */
async function download(dispatcher: Agent, url: URL): Promise<Image | null> {
  const signal = AbortSignal.timeout(DEADLINE_MS);
  const headers = { accept: TYPES.map(([type]) => type).join(', '), 'accept-encoding': 'identity' };
  const { statusCode, body } = await request(url, { dispatcher, headers, signal });
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    // Leaving the loop closes the connection.
    if (statusCode !== 200 || size > MOST_IMAGE_BYTES) return null;
    chunks.push(chunk);
  }
  const bytes = Buffer.concat(chunks);
  const type = statusCode === 200 ? typeOf(bytes) : null;
  return type === null ? null : { type, body: bytes };
}

/** Magic bytes of each type, in Latin-1. SVG is excluded: it is a document that can run scripts. */
const TYPES: readonly (readonly [type: string, matches: (start: string) => boolean])[] = [
  ['image/png', (start) => start.startsWith('\x89PNG\r\n\x1a\n')],
  ['image/jpeg', (start) => start.startsWith('\xff\xd8\xff')],
  ['image/webp', (start) => start.startsWith('RIFF') && start.slice(8, 12) === 'WEBP'],
  ['image/gif', (start) => start.startsWith('GIF87a') || start.startsWith('GIF89a')],
];

function typeOf(bytes: Buffer): string | null {
  const start = bytes.subarray(0, 16).toString('latin1');
  return TYPES.find(([, matches]) => matches(start))?.[0] ?? null;
}
