// DNS lookups for webhook URLs: plain DNS for names chosen by merchants, the system's resolver where it is trusted.

import { lookup as systemLookup, Resolver as Dns } from 'node:dns/promises';
import type { Resolver } from './connector.ts';

/** The system's resolver, including the hosts file and search domains, as private networks need. */
export const systemResolver: Resolver = async (hostname) => {
  const found = await systemLookup(hostname, { all: true, order: 'verbatim' });
  return found.map(({ address }) => address);
};

export interface DnsResolverOptions {
  /** `address` or `address:port` of name servers; the system's by default. */
  readonly servers?: readonly string[];
  /** Limit for a whole lookup. */
  readonly timeoutMs: number;
}

/** Wait for the first answer of a server; the second try waits twice as long. */
const FIRST_TRY_MS = 1_500;
const TRIES = 2;
/** Once one address family has answered, how long to wait for the other. */
const OTHER_FAMILY_WITHIN_MS = 500;

/**
 * Queries DNS directly for IPv4 and IPv6 at once, following aliases (CNAME). The system's resolver is unsuitable for
 * names that merchants choose: Node gives it two threads per process. Four names whose servers never answered delayed a
 * fifth lookup for 20 s, and with it those of the database and the chain. Each lookup has its own channel: it uses the
 * current resolv.conf, caches nothing, and can be cancelled without affecting other lookups.
 */
export function createDnsResolver({ servers, timeoutMs }: DnsResolverOptions): Resolver {
  return async (hostname) => {
    const dns = new Dns({ timeout: FIRST_TRY_MS, tries: TRIES });
    if (servers) dns.setServers(servers);
    // Read pending answers first: a process that was suspended has not read them yet.
    const giveUp = (): void => {
      setImmediate(() => dns.cancel());
    };
    const timers = [setTimeout(giveUp, timeoutMs)];
    const hurryOther = (addresses: string[]): string[] => {
      if (addresses.length > 0) timers.push(setTimeout(giveUp, OTHER_FAMILY_WITHIN_MS));
      return addresses;
    };
    const asked = [dns.resolve4(hostname).then(hurryOther), dns.resolve6(hostname).then(hurryOther)];
    const settled = await Promise.allSettled(asked);
    timers.forEach(clearTimeout);
    const addresses = settled.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
    if (addresses.length > 0) return addresses;
    throw mostUseful(
      settled.flatMap((one) => (one.status === 'rejected' ? [one.reason as NodeJS.ErrnoException] : [])),
    );
  };
}

/** Picks the most useful error: "no addresses of this family" says less than why the other family failed. */
function mostUseful(errors: readonly NodeJS.ErrnoException[]): Error {
  const error = errors.find(({ code }) => code !== 'ENODATA') ?? errors[0];
  if (error === undefined) return new Error('the name has no address');
  return error.code === 'ECANCELLED' ? Object.assign(new Error('the lookup timed out'), { code: 'ETIMEOUT' }) : error;
}
