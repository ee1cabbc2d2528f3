// Paths as they are routed.

/** Called by load balancers and Prometheus; they disclose nothing about merchants. */
export const PROBES: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics']);

/**
 * A URL without the slash at the end of its path, which names the same as the path without it; no redirect is needed,
 * which would lose a body. Probes have one path each, because proxies keep strangers from exactly these. Only one slash
 * is taken.
 */
export function withoutTrailingSlash(url: string): string {
  const end = url.indexOf('?');
  const path = end < 0 ? url : url.slice(0, end);
  if (path.length < 3 || !path.endsWith('/')) return url;
  const plain = path.slice(0, -1);
  return plain.endsWith('/') || PROBES.has(plain) ? url : plain + url.slice(path.length);
}
