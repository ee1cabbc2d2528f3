// Images at URLs that merchants chose, fetched by the rules of webhooks: the payment page shows them in the gateway's
// name.

import { performance } from 'node:perf_hooks';
import { Agent, request } from 'undici';
import { isPublicAddress } from '../../values/internet/ip-range.ts';
import { readWebhookUrl } from '../../values/internet/webhook-url.ts';
import { createDnsResolver, systemResolver } from './dns.ts';
import { createPinnedConnector, type Resolver } from './connector.ts';

export interface ImagesOptions {
  /** Whether non-public addresses may be asked, and then over http too (`WEBHOOK_ALLOW_PRIVATE`); else https alone. */
  readonly allowPrivate: boolean;
  readonly resolver?: Resolver;
  /** PEM certificates to trust in place of the system's. */
  readonly ca?: string;
  readonly log?: { warn(fields: object, message: string): void };
}

export interface Image {
  /** By what it is, whatever its server calls it. */
  readonly type: string;
  readonly body: Buffer;
}

export interface Images {
  /** The image at a URL, out of memory where it was asked for lately; null where there is none that may be shown. */
  fetch(url: string): Promise<Image | null>;
  close(): Promise<void>;
}

/** With the page and its script, an image of this size stays within 60 KiB. */
export const MOST_IMAGE_BYTES = 40 * 1024;
const DEADLINE_MS = 5_000;
const KEEP_MS = 10 * 60_000;
/** What was no image is asked for again sooner: its merchant may be mending it. */
const KEEP_NOTHING_MS = 60_000;
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
      return null; // Whatever its server did: the page is shown without it.
    } finally {
      underWay -= 1;
    }
  }

  return {
    async fetch(url) {
      const known = kept.get(url);
      if (known && known.until > performance.now()) return known.image;
      if (underWay >= MOST_UNDER_WAY) return null;
      const image = load(url);
      const entry: Kept = { image, until: Infinity };
      kept.delete(url);
      kept.set(url, entry);
      const [first] = kept.keys();
      if (kept.size > MOST_KEPT && first !== undefined) kept.delete(first);
      entry.until = performance.now() + ((await image) ? KEEP_MS : KEEP_NOTHING_MS);
      return image;
    },
    close: () => agent.destroy(),
  };
}

/** No redirect is followed: it could lead where the URL itself may not. Nothing is unpacked. */
async function download(dispatcher: Agent, url: URL): Promise<Image | null> {
  const signal = AbortSignal.timeout(DEADLINE_MS);
  const headers = { accept: TYPES.map(([type]) => type).join(', '), 'accept-encoding': 'identity' };
  const { statusCode, body } = await request(url, { dispatcher, headers, signal });
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    // Leaving the loop ends the connection.
    if (statusCode !== 200 || size > MOST_IMAGE_BYTES) return null;
    chunks.push(chunk);
  }
  const bytes = Buffer.concat(chunks);
  const type = statusCode === 200 ? typeOf(bytes) : null;
  return type === null ? null : { type, body: bytes };
}

/** How each begins, in Latin-1. SVG is not among them: it is a document, which can do more than be looked at. */
const TYPES: readonly (readonly [type: string, isIt: (start: string) => boolean])[] = [
  ['image/png', (start) => start.startsWith('\x89PNG\r\n\x1a\n')],
  ['image/jpeg', (start) => start.startsWith('\xff\xd8\xff')],
  ['image/webp', (start) => start.startsWith('RIFF') && start.slice(8, 12) === 'WEBP'],
  ['image/gif', (start) => start.startsWith('GIF87a') || start.startsWith('GIF89a')],
];

function typeOf(bytes: Buffer): string | null {
  const start = bytes.subarray(0, 16).toString('latin1');
  return TYPES.find(([, isIt]) => isIt(start))?.[0] ?? null;
}
