// Variables about pages in browsers: whose may call, and by which names the gateway may be called.

import { isHttpUrl, type Reader } from './reader.ts';

export interface PagesConfig {
  /** Origins whose pages may call from a browser; `*` for all. */
  readonly corsOrigins: readonly string[];
  /** Whether pages of this machine may call besides. */
  readonly corsLoopback: boolean;
  /** Names that a Host may have besides those of `BASE_URL` and `PAY_URL`, in lower case; null where none are set. */
  readonly allowedHosts: readonly string[] | null;
}

/**
 * `CORS_ORIGINS`: origins, comma-separated, `*` or `none`. In the sandbox those of this machine may call besides, unless it
 * is `none`. `ALLOWED_HOSTS`: names, comma-separated.
 */
export function readPages(read: Reader, live: boolean): PagesConfig {
  const given = read.list('CORS_ORIGINS');
  const isNone = given.includes('none') && given.length === 1;
  const corsOrigins = isNone ? [] : given;
  for (const origin of corsOrigins) {
    if (origin !== '*' && !(isHttpUrl(origin) && new URL(origin).origin === origin))
      read.fault('CORS_ORIGINS', `must be origins such as https://shop.example, * or none, not "${origin}"`);
  }
  const hosts = read.list('ALLOWED_HOSTS').map((name) => name.toLowerCase());
  for (const name of hosts) {
    if (!/^[a-z0-9._-]+$/.test(name))
      read.fault('ALLOWED_HOSTS', `must be names such as turnpike.internal, without a port, not "${name}"`);
  }
  return { corsOrigins, corsLoopback: !live && !isNone, allowedHosts: hosts.length > 0 ? hosts : null };
}
