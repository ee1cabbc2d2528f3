// Caches checked webhook URLs, because checking one costs as much as a signature.

import { readWebhookUrl, type WebhookUrlRefusal } from '../values/internet/webhook-url.ts';

/** In the form that undici takes. */
export interface Target {
  readonly origin: string;
  readonly path: string;
}

/** Cached URLs; beyond this the oldest are dropped. */
const MOST_CACHED = 1_000;

/**
 * Creates the cached check. Only allowed URLs are cached; the addresses of a name are still checked at every connect.
 */
export function createTargetCache(rules: {
  readonly allowPrivate: boolean;
}): (url: string) => Target | WebhookUrlRefusal {
  const cached = new Map<string, Target>();
  return (text) => {
    const found = cached.get(text);
    if (found) return found;
    const url = readWebhookUrl(text, rules);
    if (!(url instanceof URL)) return url;
    const target = { origin: url.origin, path: url.pathname + url.search };
    cached.set(text, target);
    const [first] = cached.keys();
    if (cached.size > MOST_CACHED && first !== undefined) cached.delete(first);
    return target;
  };
}
