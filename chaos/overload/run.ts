// The overload run from beginning to end: calm, saturation, far more calls than can be served, and calm again.

import { setTimeout as rest } from 'node:timers/promises';
import { Violation } from '../invariants/violation.ts';
import { createClient, type Client } from '../load/client.ts';
import { createNotes, type Shop } from '../load/client-log.ts';
import { settle } from '../processes/quiesce.ts';
import { findLedgerFault } from '../invariants/ledger.ts';
import type { System } from '../processes/environment.ts';
import type { Crowd } from './crowd.ts';
import type { CrowdTask } from './crowd-program.ts';
import { memoryOf, startMonitor, type Sightings } from './monitor.ts';
import { openQuietShop, type QuietMerchant, type QuietOrder } from './quiet-merchant.ts';
import { percentile, sumOf, type CrowdResult } from './tally.ts';

/** Everything that an overload run is judged by. */
export interface OverloadEvidence {
  readonly saturation: CrowdResult;
  readonly overload: CrowdResult;
  readonly sightings: Sightings;
  /** The gateway's resident memory in bytes: at the end of the saturation, and once everything is over. */
  readonly memory: { readonly before: number; readonly after: number };
  /** The median time in which a merchant can look up an order: in calm, and as last measured after the load. */
  readonly calmMs: number;
  readonly recoveredMs: number;
  /** Seconds from the end of the load until look-ups were as fast as in calm; null if that took too long. */
  readonly recoverySeconds: number | null;
  readonly quiet: { readonly orders: readonly QuietOrder[]; readonly oddities: readonly string[] };
  /**
   * The number of the quiet merchant's webhooks that their receiver took during the load, and the references of paid
   * orders that had no webhook at the end.
   */
  readonly webhooks: { readonly during: number; readonly missing: readonly string[] };
  /** The ids of the payments by reference. */
  readonly stored: ReadonlyMap<string, readonly string[]>;
  readonly ledgerFault: string | null;
}

const MERCHANTS = 7;
/** At best, a fifth of the crowd's calls can be done. */
const TIMES_SATURATION = 5;
const MOST_CALLS_PER_SECOND = 10_000;
const MOST_CONNECTIONS = 600;
const RECOVERY_WITHIN_MS = 10_000;
const LOOKS = 15;

const CALM = { slowSenders: 0, slowReaders: 0, largeBodies: 0, sockets: 0, streams: 0, exchanges: null };

/** Runs all phases. `say` is called as each phase begins. */
export async function runOverload(
  system: System,
  crowd: Crowd,
  { seconds, say }: { readonly seconds: number; readonly say: (text: string) => void },
): Promise<OverloadEvidence> {
  const notes = createNotes();
  const client = createClient(system.url, notes.calls);
  const quietShop = await openShop(client, `${system.receiver.origin}/fine/quiet`);
  const tokens: string[] = [];
  for (let n = 0; n < MERCHANTS; n += 1) tokens.push((await openShop(client, null)).token);
  const task = { ...CALM, port: Number(new URL(system.url).port), tokens, seconds };

  say('Warming up, then a calm');
  await crowd.perform({ ...task, prefix: 'warm', seconds: Math.min(3, seconds), connections: 16, ratePerSecond: null });
  const looks = await createLooks(client, quietShop);
  const calmMs = await looks.median();

  say(`Saturation: 64 connections at full speed for ${seconds} s`);
  const full = { ...task, prefix: 'full', connections: 64, ratePerSecond: null };
  const saturation = await crowd.perform(full);
  const before = memoryOf(system.core.pid());
  const callsPerSecond = sumOf(saturation.tallies, 'done') / saturation.seconds;
  const ratePerSecond = Math.min(MOST_CALLS_PER_SECOND, Math.round(TIMES_SATURATION * callsPerSecond));

  say(
    `Overload: ${ratePerSecond} calls a second on up to ${MOST_CONNECTIONS} connections, and slow ones, for ${seconds} s`,
  );
  const lookout = startMonitor(system.url, system.core.pid());
  const quiet = openQuietShop(system.url, quietShop);
  const from = Date.now();
  const overwhelm = async () => {
    const overload = await crowd.perform({ ...task, ...EXCESS, ...quietShop.exchanges, ratePerSecond });
    return { overload, ...(await looks.untilCalm(calmMs)), until: Date.now() };
  };
  const { until, ...found } = await overwhelm().finally(() => Promise.all([quiet.stop(), lookout.stop()]));

  say('The load is over; waiting until all work is done');
  const surprise = [system.core, ...system.dispatchers].map((program) => program.surprise()).find(Boolean);
  if (surprise) throw new Violation(surprise);
  await settle(system);
  return {
    ...{ saturation, calmMs, quiet, ...found },
    sightings: lookout.seen,
    memory: { before, after: memoryOf(system.core.pid()) },
    webhooks: await webhooksOf(system, quiet, { from, until }),
    stored: await readStored(system),
    ledgerFault: await findLedgerFault(system),
  };
}

const EXCESS = {
  ...{ prefix: 'over', connections: MOST_CONNECTIONS, slowSenders: 150, slowReaders: 4, largeBodies: 10 },
  ...{ sockets: 20, streams: 10 },
};

interface OverloadShop extends Pick<Shop, 'token'> {
  readonly exchanges: Pick<CrowdTask, 'exchanges'>;
}

/** Opens a merchant, with or without a webhook endpoint. */
async function openShop(client: Client, endpoint: string | null): Promise<OverloadShop> {
  const body = { email: `overload-${crypto.randomUUID()}@example.com`, companyName: 'The Ferryman' };
  const { apiKey } = await client.data('POST', '/merchant', { body });
  const { keyId, key: secret } = apiKey as { keyId: string; key: string };
  const { accessToken } = await client.data('POST', '/auth/token', { body: { keyId, secret } });
  const token = accessToken as string;
  if (endpoint !== null)
    await client.data('PUT', '/merchant/webhook', { token, body: { url: endpoint, enabled: true } });
  return { token, exchanges: { exchanges: { keyId, secret, perSecond: 30 } } };
}

/** Measures how long a merchant takes to look up one of their orders. */
async function createLooks(client: Client, { token }: Pick<Shop, 'token'>) {
  const body = { amount: '2.5', currency: 'USDT', network: 'ETH' };
  const { orderId } = await client.data('POST', '/payments', { token, body });

  async function median(): Promise<number> {
    const tookMs: number[] = [];
    for (let n = 0; n < LOOKS; n += 1) {
      const startedMs = performance.now();
      const answer = await client.tryOnce('GET', `/payments/${orderId}`, { token });
      tookMs.push(answer?.status === 200 ? performance.now() - startedMs : Infinity);
      await rest(20);
    }
    return percentile(tookMs, 0.5);
  }

  return {
    median,
    async untilCalm(calmMs: number): Promise<{ recoveredMs: number; recoverySeconds: number | null }> {
      const startedMs = performance.now();
      let recoveredMs = Infinity;
      while (performance.now() - startedMs < RECOVERY_WITHIN_MS) {
        const beganMs = performance.now();
        recoveredMs = await median();
        if (isCalm(recoveredMs, calmMs)) return { recoveredMs, recoverySeconds: (beganMs - startedMs) / 1_000 };
      }
      return { recoveredMs, recoverySeconds: null };
    },
  };
}

/** Allows twice the time, or 25 ms more: the machine may be doing something else as well. */
const isCalm = (ms: number, calmMs: number) => ms <= Math.max(2 * calmMs, calmMs + 25);

interface Span {
  readonly from: number;
  readonly until: number;
}

async function webhooksOf(system: System, { orders }: QuietMerchant, { from, until }: Span) {
  const { taken, bodies } = await system.receiver.readReceiverLog();
  const during = taken.filter(({ path, at }) => path === '/fine/quiet' && at >= from && at <= until);
  const told = [...bodies.values()].filter((body) => body.includes('payment.succeeded')).join('\n');
  const missing = orders
    .filter(({ paid, orderId }) => paid && !told.includes(orderId ?? ''))
    .map((one) => one.reference);
  return { during: during.length, missing };
}

async function readStored({ database }: System): Promise<Map<string, string[]>> {
  const rows = await database.rows<{ id: string; reference: string }>(
    'select id, merchant_order_id as reference from payment where merchant_order_id is not null',
  );
  const byReference = Map.groupBy(rows, ({ reference }) => reference);
  return new Map([...byReference].map(([reference, all]) => [reference, all.map(({ id }) => id)]));
}
