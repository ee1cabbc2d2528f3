// Where the names of webhook URLs are looked up: in the DNS for strangers' names, by the system where it is trusted.

import { lookup as systemLookup, Resolver as Dns } from 'node:dns/promises';
import type { Resolver } from './connector.ts';

/** What the system's resolver says: hosts file and search domains included, as names in a private network need. */
export const systemResolver: Resolver = async (hostname) => {
  const found = await systemLookup(hostname, { all: true, order: 'verbatim' });
  return found.map(({ address }) => address);
};

export interface DnsResolverOptions {
  /** `address` or `address:port` of name servers; those of the system unless given. */
  readonly servers?: readonly string[];
  /** After which a look-up is given up. */
  readonly timeoutMs: number;
}

/** The first wait for a server; a second try waits twice as long. */
const FIRST_TRY_MS = 1_500;
const TRIES = 2;
/** How long the addresses of one family wait for a server that leaves the question for the other unanswered. */
const OTHER_FAMILY_WITHIN_MS = 500;

/**
 * Asks the DNS itself, aliases (CNAME) followed, for IPv4 and IPv6 at once. The system's resolver is not for names that
 * strangers choose: Node lends it two threads of the process. Four names whose servers never answer held up the look-up
 * of a fifth for 20 s, and with it the database's and the chain's. One channel a look-up: what resolv.conf says now is
 * what is asked, nothing is cached, and giving up one look-up ends no other.
 */
export function createDnsResolver({ servers, timeoutMs }: DnsResolverOptions): Resolver {
  return async (hostname) => {
    const dns = new Dns({ timeout: FIRST_TRY_MS, tries: TRIES });
    if (servers) dns.setServers(servers);
    // After one more look at what has come: a process that stood still has not read it.
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
    throw mostTelling(
      settled.flatMap((one) => (one.status === 'rejected' ? [one.reason as NodeJS.ErrnoException] : [])),
    );
  };
}

/** That there are no addresses of one family says less than why there are none of the other. */
function mostTelling(errors: readonly NodeJS.ErrnoException[]): Error {
  const error = errors.find(({ code }) => code !== 'ENODATA') ?? errors[0];
  if (error === undefined) return new Error('the name has no address');
  return error.code === 'ECANCELLED' ? Object.assign(new Error('no answer in time'), { code: 'ETIMEOUT' }) : error;
}
