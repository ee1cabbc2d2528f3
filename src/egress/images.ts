// Fetches merchants' logos for the payment page, under the same address rules as webhooks.

import { performance } from 'node:perf_hooks';
import type { Resolver } from './connector.ts';
import { createGetClient } from './get-client.ts';

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
  const { log } = options;
  const client = createGetClient({
    ...{ allowPrivate: options.allowPrivate, resolver: options.resolver, ca: options.ca },
    ...{ deadlineMs: DEADLINE_MS, maxBytes: MOST_IMAGE_BYTES },
    onRefused: (host, addresses) => log?.warn({ host, addresses }, 'logo refused: not a public address'),
  });
  const kept = new Map<string, Kept>();
  let underWay = 0;

  /** Without an image, the page is shown without one. */
  async function load(url: string): Promise<Image | null> {
    underWay += 1;
    try {
      const result = await client.get(url, { accept: TYPES.map(([type]) => type).join(', ') });
      const type = result.kind === 'response' && result.status === 200 ? typeOf(result.body) : null;
      return result.kind === 'failure' || type === null ? null : { type, body: result.body };
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
    close: () => client.close(),
  };
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
