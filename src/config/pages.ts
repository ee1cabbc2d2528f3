// Reads which web origins may call the API (CORS), and by which host names the gateway may be called.

import { isHttpUrl, type Reader } from './reader.ts';

export interface PagesConfig {
  /** Origins whose pages may call from a browser; `*` for all. */
  readonly corsOrigins: readonly string[];
  /** Whether pages on loopback origins may call as well. */
  readonly corsLoopback: boolean;
  /** Host names allowed in addition to those of `BASE_URL` and `PAY_URL`, in lower case; null if not set. */
  readonly allowedHosts: readonly string[] | null;
}

/**
 * `CORS_ORIGINS`: origins, comma-separated, `*` or `none`. The sandbox also allows loopback origins, unless it is
 * `none`. `ALLOWED_HOSTS`: names, comma-separated.
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
