// Evidence after the database was replaced by an older copy: collected while the network is halted, after `npm run
// recover`, and after the merchants repeated their withdrawals.

import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { readReceived } from '../invariants/chain-balances.ts';
import { createClient } from '../load/client.ts';
import { withdrawalBody } from '../load/payouts.ts';
import type { Notes, PayoutNote } from '../load/client-log.ts';
import { settle } from '../processes/quiesce.ts';
import { readSuspended, writeOff, type Suspended } from '../invariants/suspense.ts';
import { findLedgerFault } from '../invariants/ledger.ts';
import { waitUntil } from '../processes/wait.ts';
import type { System } from '../processes/environment.ts';

/** A payout in the ledger. */
export interface CopyPayout {
  readonly id: string;
  /** In lower case. */
  readonly address: string;
  readonly status: string;
  /** The number of its transfers that the chain has confirmed. */
  readonly transfers: number;
}

/** A withdrawal that was requested again after the recovery, under its merchantWithdrawalId. */
export interface Retry {
  readonly note: PayoutNote;
  /** Base units that its address held when it was requested again. */
  readonly held: bigint;
  /** The error code; null if it was accepted. */
  readonly code: string | null;
}

/** The balances of addresses, in base units. */
type Received = ReadonlyMap<string, bigint>;

export interface CopyEvidence {
  /** All payouts that were requested in the run. */
  readonly payouts: readonly PayoutNote[];
  /** The number of transactions added to the signer's journal after the copy was made. */
  readonly signed: number;
  /** The payouts in the copy, before a gateway ran on it. */
  readonly inCopy: readonly CopyPayout[];
  /** The answer of /readyz; null if the network was not halted. */
  readonly readyWhenHalted: { readonly status: number; readonly halted: readonly string[] } | null;
  readonly recovered: { readonly code: number; readonly words: string };
  /** The networks that are still halted at the end. */
  readonly haltsLeft: readonly string[];
  readonly receivedWhenHalted: Received;
  readonly received: Received;
  readonly retries: readonly Retry[];
  /** The payouts in the ledger at the end. */
  readonly book: readonly CopyPayout[];
  /** The ids of the payments in the ledger at the end. */
  readonly payments: ReadonlySet<string>;
  /** The number of transactions booked to the gateway's costs. */
  readonly outflows: number;
  readonly suspended: readonly Suspended[];
  /** The faults that ledger:verify finds after the money in suspense was written off; null if none. */
  readonly ledgerFault: string | null;
}

interface Known {
  readonly payouts: readonly PayoutNote[];
  /** The notes of the load that ran with this copy. */
  readonly lately: Notes;
  readonly signed: number;
  /** Starts the gateway. */
  readonly start: () => Promise<void>;
}

const PROGRAM = fileURLToPath(new URL('../../src/cli/recover.js', import.meta.url));
const RECOVER = ['--network', 'ETH', '--apply', '--note', 'chaos'];
const HALTED_WITHIN_MS = 300_000;
/** Only for a recovery that hangs: it derives twenty thousand addresses, and its duration depends on the machine. */
const RECOVERED_WITHIN_MS = 900_000;

const BOOK = `
select o.id, lower(o.address) as address, o.status,
  (select count(*) from transfer t where t.payout_id = o.id and t.status = 'CONFIRMED')::int as transfers
from payout o order by o.id`;

const OUTFLOWS = `select from transfer where purpose = 'OUTFLOW' and status = 'CONFIRMED'`;

/** Starts the gateway on the copy, which is in place, recovers it, and lets merchants repeat their withdrawals. */
export async function gatherCopyEvidence(system: System, known: Known): Promise<CopyEvidence> {
  const { payouts, signed } = known;
  const inCopy = await system.database.rows<CopyPayout>(BOOK);
  await known.start();
  const readyWhenHalted = signed > 0 ? await readHalt(system) : null;
  const receivedWhenHalted = await readReceived(await system.chainUrl(), payouts);
  const recovered = await recover(system);
  if (recovered.code === 0) await settle(system);
  const retries = recovered.code === 0 ? await askAgain(system, known.lately.payouts) : [];
  if (retries.some(({ code }) => code === null)) await settle(system);
  const suspended = await readSuspended(system, known.lately);
  await writeOff(system, suspended);
  return {
    ...{ payouts, signed, inCopy, readyWhenHalted, receivedWhenHalted, recovered, retries, suspended },
    payments: new Set((await system.database.rows<{ id: string }>('select id from payment')).map(({ id }) => id)),
    outflows: (await system.database.rows(OUTFLOWS)).length,
    haltsLeft: await readHalts(system),
    received: await readReceived(await system.chainUrl(), payouts),
    book: await system.database.rows<CopyPayout>(BOOK),
    ledgerFault: await findLedgerFault(system),
  };
}

async function readHalts({ database }: System): Promise<string[]> {
  const rows = await database.rows<{ network: string }>('select network from signing_halt order by network');
  return rows.map(({ network }) => network);
}

async function readHalt(system: System): Promise<CopyEvidence['readyWhenHalted']> {
  const halts = async () => ((await readHalts(system)).length > 0 ? true : null);
  await waitUntil('a network that signed after the copy is halted', HALTED_WITHIN_MS, halts);
  const response = await fetch(`${system.url}/readyz`);
  const { halted = [] } = (await response.json()) as { halted?: { network: string }[] };
  return { status: response.status, halted: halted.map(({ network }) => network) };
}

/** Runs the recovery as a program of its own beside the gateway. */
function recover({ environment }: System): Promise<CopyEvidence['recovered']> {
  return new Promise((resolve) => {
    const options = { env: { ...environment }, timeout: RECOVERED_WITHIN_MS };
    execFile(process.execPath, ['--enable-source-maps', PROGRAM, ...RECOVER], options, (error, out, err) =>
      resolve({ code: error === null ? 0 : Number(error.code ?? 2), words: `${out}\n${err}`.trim() }),
    );
  });
}

/** Repeats each withdrawal that was not refused, under a new idempotency key, as if its answer had been lost. */
async function askAgain(system: System, notes: readonly PayoutNote[]): Promise<Retry[]> {
  const client = createClient(system.url, { answered: 0, unanswered: 0 });
  const held = await readReceived(await system.chainUrl(), notes);
  const retries: Retry[] = [];
  for (const note of notes) {
    if (note.kind !== 'withdrawal' || note.refused !== null) continue;
    const call = { token: note.shop.token, body: withdrawalBody(note), idempotencyKey: randomUUID() };
    const { code } = await client.untilAnswered('POST', '/wallet/withdraw', call);
    retries.push({ note, held: held.get(note.address) ?? 0n, code });
  }
  return retries;
}
