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

/** All that an overload is judged by. */
export interface OverloadEvidence {
  readonly saturation: CrowdResult;
  readonly overload: CrowdResult;
  readonly sightings: Sightings;
  /** Resident memory of the gateway in bytes: at the end of the saturation, and once all is over. */
  readonly memory: { readonly before: number; readonly after: number };
  /** The median of a merchant's look at an order: in calm, and the last one that was measured after the load. */
  readonly calmMs: number;
  readonly recoveredMs: number;
  /** From the end of the load until looks took no longer than in calm; null where it took too long. */
  readonly recoverySeconds: number | null;
  readonly quiet: { readonly orders: readonly QuietOrder[]; readonly oddities: readonly string[] };
  /**
   * Webhooks of the quiet merchant that their receiver took while the load lasted, and those owed to them in the end.
   */
  readonly webhooks: { readonly during: number; readonly missing: readonly string[] };
  /** Ids of the payments by their reference. */
  readonly stored: ReadonlyMap<string, readonly string[]>;
  readonly ledgerFault: string | null;
}

const MERCHANTS = 7;
/** A fifth of what the crowd asks for is done, at best. */
const TIMES_SATURATION = 5;
const MOST_CALLS_PER_SECOND = 10_000;
const MOST_CONNECTIONS = 600;
const RECOVERY_WITHIN_MS = 10_000;
const LOOKS = 15;

const CALM = { slowSenders: 0, slowReaders: 0, largeBodies: 0, sockets: 0, streams: 0, exchanges: null };

/** Runs it. `say` is told of each phase as it begins. */
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

  say('The load is over; waiting until nothing is owed');
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

/** A merchant, with an endpoint of their own or without. */
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

/** How long a merchant's look at one of their orders takes. */
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

/** Twice as long, or a blink of an eye more: the machine may be doing something else as well. */
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
