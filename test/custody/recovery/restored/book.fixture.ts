// A gateway's database that is replaced by an older copy of itself, with a signer that keeps a journal.

import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { openJournal, type Journal } from '../../../../src/custody/witness/journal.ts';
import { recover, type Recovered, type RecoverOptions } from '../../../../src/custody/recovery/recover.ts';
import { createTransactionSender, type SenderOptions } from '../../../../src/custody/send-transactions.ts';
import { connectDatabase, query } from '../../../../src/database/connection.ts';
import { readHalts } from '../../../../src/database/queries/payouts/signing-state.ts';
import { compareCustody } from '../../../../src/domain/ledger/reconciliation.ts';
import { recordCluster } from '../../../../src/domain/witness/cluster.ts';
import type { Deps } from '../../../../src/domain/deps.ts';
import { digestOf } from '../../../../src/domain/idempotency.ts';
import { requestWithdrawal } from '../../../../src/domain/payouts/request.ts';
import { verifyLedger } from '../../../../src/domain/ledger/verify.ts';
import type { Worker } from '../../../../src/loop.ts';
import { createDepositWatcher } from '../../../../src/observe/watch-deposits.ts';
import type { Network } from '../../../../src/values/assets.ts';
import { runLedger } from '../../../cli/ledger/run.fixture.ts';
import type { Run } from '../../../cli/wallet/run.fixture.ts';
import { log } from '../../../domain/book.fixture.ts';
import { dumpDatabase, loadDump } from '../../../support/database/database-copy.ts';
import { PATIENT_DATABASE } from '../../../support/patience.ts';

/** The deployment's secret. */
const ONCE_KEY = new Uint8Array(32).fill(7);

/** What is left of a restored gateway's journal. */
export const JOURNALS = ['present', 'lost', 'as old as the backup'] as const;
export type JournalFate = (typeof JOURNALS)[number];

export interface Withdrawal {
  readonly merchantId: string;
  readonly currency: string;
  readonly amount: string;
  readonly address: string;
  /** Used both as `merchantWithdrawalId` and as idempotency key. */
  readonly id?: string;
}

/** A gateway on a database: the original or the copy. */
export interface Book {
  readonly deps: Deps;
  readonly url: string;
  readonly journal: Journal;
  /** A signer as in a process that has just started, with the journal. */
  sender(options?: Partial<SenderOptions>): Worker;
  readonly watcher: Worker;
  withdraw(withdrawal: Withdrawal): Promise<{ id: string; replayed: boolean }>;
  payout(id: string): Promise<Record<'status' | 'tx_hash' | 'held_reason' | 'failure', string | null> | undefined>;
  sql<Row = Record<string, unknown>>(text: string, parameters?: readonly unknown[]): Promise<Row[]>;
  isHalted(): Promise<boolean>;
  recover(options?: Partial<RecoverOptions>): Promise<{ outcome: Recovered; said: string }>;
  /** Runs `npm run ledger` in a process of its own with these arguments. */
  ledger(...args: string[]): Promise<Run>;
  /** Checks that the book keeps its rules and agrees with the chain. */
  audit(): Promise<void>;
}

export interface Origin {
  readonly deps: Deps;
  readonly url: string;
  readonly network: Network;
  readonly signer: SenderOptions['signer'];
  readonly devChain?: SenderOptions['devChain'];
}

export interface Restorable {
  /** The book on the original database. */
  readonly book: Book;
  /** Takes a backup of the database, and one of the journal. */
  backUp(): Promise<void>;
  /** A gateway on the backup: a dump loaded into a database of its own. */
  restore(fate: JournalFate): Promise<Book>;
  stop(): Promise<void>;
}

export async function createRestorable(origin: Origin): Promise<Restorable> {
  const folder = await mkdtemp(join(tmpdir(), 'turnpike-restored-'));
  const now = join(folder, 'now');
  const ends: (() => Promise<void>)[] = [() => rm(folder, { recursive: true, force: true })];
  let dump: Awaited<ReturnType<typeof dumpDatabase>> = new Map();
  await mkdir(now, { recursive: true });
  const book = await openBook(origin, now);
  return {
    book,
    backUp: async () => {
      dump = await dumpDatabase(origin.url);
      await rm(join(folder, 'then'), { recursive: true, force: true });
      await cp(now, join(folder, 'then'), { recursive: true });
    },
    restore: async (fate) => {
      const database = await loadDump(dump);
      const db = await connectDatabase({ url: database.url, poolMax: 4, log, patience: PATIENT_DATABASE });
      ends.push(async () => {
        await db.close();
        await database.drop();
      });
      const places = { present: now, lost: join(folder, 'nothing'), 'as old as the backup': join(folder, 'then') };
      await mkdir(places.lost, { recursive: true });
      return openBook({ ...origin, deps: { ...origin.deps, db }, url: database.url }, places[fate]);
    },
    stop: async () => {
      for (let end = ends.pop(); end; end = ends.pop()) await end();
    },
  };
}

async function openBook({ deps, url, network, signer, devChain }: Origin, folder: string): Promise<Book> {
  const chain = deps.chains.get(network);
  if (!chain) throw new Error(`There is no ${network}`);
  await recordCluster(deps);
  const journal = openJournal({ folder, network });
  const sql: Book['sql'] = (text, parameters = []) => query(deps.db.em, text, parameters);
  const watcher = createDepositWatcher(deps, chain);
  return {
    ...{ deps, url, journal, sql, watcher },
    sender: (options = {}) =>
      createTransactionSender(deps, { chain, signer, devChain, journal: openJournal({ folder, network }), ...options }),
    withdraw: async ({ merchantId, id, ...input }) => {
      const request = { ...input, network, ...(id !== undefined && { merchantWithdrawalId: id }) };
      const once =
        id === undefined
          ? null
          : {
              scope: merchantId,
              operation: 'withdraw',
              key: id,
              inputDigest: digestOf({ idempotencyKey: ONCE_KEY }, request),
            };
      const { result, replayed } = await requestWithdrawal(deps, merchantId, request, once);
      return { id: result.id, replayed };
    },
    payout: async (id) => {
      const rows = await sql<Record<'status' | 'tx_hash' | 'held_reason' | 'failure', string | null>>(
        'select status, tx_hash, held_reason, failure from payout where id = $1',
        [id],
      );
      return rows[0];
    },
    isHalted: async () => (await readHalts(deps.db.em)).some((halt) => halt.network === network),
    recover: async (options = {}) => {
      const lines: string[] = [];
      const outcome = await recover(deps, {
        ...{ chain, signer, journal: openJournal({ folder, network }), apply: true, acceptMissingJournal: false },
        ...{ gap: 20, attached: new Map(), operator: 'test', note: null, say: (line) => void lines.push(line) },
        ...options,
      });
      return { outcome, said: lines.join('\n') };
    },
    ledger: (...args) =>
      runLedger(args, { DATABASE_URL: url, [`${network}_CONFIRMATIONS`]: String(chain.requiredConfirmations) }),
    audit: async () => {
      expect((await verifyLedger(deps.db)).faults).toEqual([]);
      const comparison = await compareCustody(deps.db, chain.adapter);
      expect(comparison?.lines.map(({ currency, book, chain: held }) => [currency, held - book])).toEqual(
        comparison?.lines.map(({ currency }) => [currency, 0n]),
      );
      expect(comparison?.lines.length).toBeGreaterThan(0);
    },
  };
}
