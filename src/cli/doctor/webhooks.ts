// Checks that webhooks can leave this machine, and which receivers fail.

import { readEndpointUrls, readWaitingUrls } from '../../database/queries/webhooks/receivers.ts';
import { probe } from '../../egress/probe.ts';
import type { Examination } from './examination.ts';
import { fault, ok, orOk, warning, type Finding } from './finding.ts';
import { openedOf } from './server.ts';

/** Endpoints from which the hosts are chosen, and hosts that are connected to. */
const MOST_ENDPOINTS = 200;
const MOST_HOSTS = 5;
const MOST_NAMED = 3;
const CONNECT_WITHIN_MS = 5_000;

export async function checkWebhooks(examination: Examination): Promise<Finding[]> {
  const { em } = openedOf(examination).db;
  const [urls, waiting] = [await readEndpointUrls(em, MOST_ENDPOINTS), await readWaitingUrls(em, MOST_ENDPOINTS)];
  const hosts = [...new Map(urls.map((url) => [new URL(url).origin, url]))].slice(0, MOST_HOSTS);
  if (hosts.length === 0) return [ok('no merchant has an endpoint yet')];
  const { webhookAllowPrivate: allowPrivate } = examination.config;
  const tried = await Promise.all(
    hosts.map(async ([origin, url]) => ({
      host: new URL(origin).host,
      error: await probe(url, { allowPrivate, deadlineMs: CONNECT_WITHIN_MS }),
    })),
  );
  const failed = tried.filter(({ error }) => error !== null);
  const named = failed.slice(0, MOST_NAMED).map(({ host, error }) => `${host} (${error?.message ?? ''})`);
  return orOk(
    [
      failed.length === tried.length
        ? fault(
            `none of ${String(tried.length)} hosts can be connected to: ${named.join('; ')}`,
            'let this machine resolve names and connect outward (docs/operations/network.md)',
          )
        : null,
      failed.length > 0 && failed.length < tried.length
        ? warning(
            `${String(failed.length)} of ${String(tried.length)} hosts cannot be connected to: ${named.join('; ')}`,
            'tell their merchants; other hosts answer, so it is not this machine',
          )
        : null,
      judgeWaiting(waiting),
    ],
    `${String(tried.length)} hosts were connected to through the guard; nothing waits for another attempt`,
  );
}

function judgeWaiting(waiting: readonly { url: string; deliveries: number }[]): Finding | null {
  const byHost = new Map<string, number>();
  for (const { url, deliveries } of waiting) {
    const { host } = new URL(url);
    byHost.set(host, (byHost.get(host) ?? 0) + deliveries);
  }
  if (byHost.size === 0) return null;
  const worst = [...byHost].sort(([, one], [, other]) => other - one).slice(0, MOST_NAMED);
  const named = worst.map(([host, count]) => `${host} (${String(count)})`).join(', ');
  return warning(
    `deliveries to ${String(byHost.size)} hosts failed and will be tried again: ${named}`,
    'they are listed in the console of the merchant, with the reason; several hosts at once hint at this machine',
  );
}
