// Carries out the moves of a hostile history, and brings it to rest at the end.

import { randomUUID } from 'node:crypto';
import { cp, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openJournal } from '../../../src/custody/witness/journal.ts';
import { recover } from '../../../src/custody/recovery/recover.ts';
import { connectDatabase } from '../../../src/database/connection.ts';
import { setAssetOn } from '../../../src/domain/assets/asset-service.ts';
import { recordCluster } from '../../../src/domain/witness/cluster.ts';
import { inTransaction, type Deps } from '../../../src/domain/deps.ts';
import { log } from '../../domain/book.fixture.ts';
import { dumpDatabase, loadDump } from '../../support/database/database-copy.ts';
import { checkReadings, checkSigned, signedHashes } from './checks.fixture.ts';
import {
  at,
  drive,
  fillGasWallet,
  keepTime,
  mine,
  orUnavailable,
  rowsOf,
  pass,
  startProcess,
  unitOf,
  work,
  type History,
} from './history.fixture.ts';
import type { JournalFate, Move } from './moves.fixture.ts';
import { ask, retry } from './payouts.fixture.ts';
import { PATIENT_DATABASE } from '../../support/patience.ts';

/** Rounds in which everything comes to rest once the chain behaves. */
const REST_ROUNDS = 60;
/** Rounds after which no more certainty about a transaction's effect can be had by waiting. */
const CERTAIN_ROUNDS = 20;

export async function act(history: History, move: Move): Promise<void> {
  const { chain, process } = history;
  switch (move.kind) {
    case 'pay': {
      const { address, currency } = at(history.orders, move.order);
      return chain.pay(address, currency, unitOf(chain, currency));
    }
    case 'withdraw':
    case 'refund':
      return ask(history, move);
    case 'retry':
      return retry(history, move.payout);
    case 'mine':
      return mine(history, move.blocks * chain.pace);
    case 'reorganise':
      await chain.reorganise(Math.min(move.depth * chain.pace, chain.deepest));
      return keepTime(history);
    case 'watch':
      await work(process.watcher, 200);
      return orUnavailable(() => checkReadings(history));
    case 'send':
      await checkSigned(history, () => work(process.sender, move.steps));
      return orUnavailable(() => checkReadings(history));
    case 'startAgain':
      history.process = startProcess(history, process.deps);
      return;
    case 'wait':
      return pass(history, move.minutes);
    case 'trouble':
      return chain.trouble(move.what);
    case 'lie':
      return history.liar?.tell(move.what);
    case 'tokenFee':
      return chain.setTokenFee(move.basisPoints);
    case 'backUp':
      return backUp(history);
    case 'restore':
      return restore(history, move.journal);
    case 'recover':
      return orUnavailable(async () => void (await recoverBook(history)));
  }
}

async function backUp(history: History): Promise<void> {
  history.backup = await dumpDatabase(history.url);
  await rm(join(history.folder, 'then'), { recursive: true, force: true });
  await cp(history.journal, join(history.folder, 'then'), { recursive: true });
}

/** From now on the database is the backup, and the journal is what the move left of it. */
async function restore(history: History, fate: JournalFate): Promise<void> {
  const { backup, folder, bound } = history;
  if (!backup) return;
  const database = await loadDump(backup);
  const db = await connectDatabase({ url: database.url, poolMax: 4, log, patience: PATIENT_DATABASE });
  history.ends.push(async () => {
    await db.close();
    await database.drop();
  });
  if (fate !== 'present') {
    history.journal = join(folder, randomUUID());
    if (fate === 'lost') await mkdir(history.journal);
    else await cp(join(folder, 'then'), history.journal, { recursive: true });
  }
  const signed = await signedHashes(history);
  const deps: Deps = { ...history.process.deps, db };
  await recordCluster(deps);
  history.url = database.url;
  history.process = startProcess({ ...history, bound }, deps);
  const known = new Set(await signedHashes(history));
  history.lost = [...new Set([...history.lost, ...signed])].filter((hash) => !known.has(hash));
}

type Choice = readonly [txHash: string, payoutId: string];

/** Recovers as the operator does; returns the candidates that remain. */
async function recoverBook(history: History, attached = new Map<string, string>()): Promise<Choice[]> {
  const { process, bound, signer, journal, chain } = history;
  const choices: Choice[] = [];
  await recover(process.deps, {
    ...{ chain: bound, signer, journal: openJournal({ folder: journal, network: chain.adapter.network }) },
    ...{ apply: true, acceptMissingJournal: true, gap: 5, attached, operator: 'Ada', note: 'a history' },
    say: (line) => {
      const [, txHash, id] = /--attach (\w+)=(\w+)/.exec(line) ?? [];
      if (txHash !== undefined && id !== undefined) choices.push([txHash, id]);
    },
  });
  history.lost = [];
  return choices;
}

/** The operator decides what stays uncertain, by looking at what its recipient holds. */
async function choose(history: History, choices: readonly Choice[]): Promise<void> {
  const attached = new Map<string, string>();
  for (const [txHash, id] of choices) {
    const wanted = history.wanted.find((one) => one.id === id);
    const received = wanted ? await history.chain.received(wanted.to, wanted.currency) : 0n;
    attached.set(txHash, received > 0n ? id : 'none');
  }
  if (attached.size > 0) await recoverBook(history, attached);
}

/** From now on everything behaves, and workers go on until nothing changes. */
export async function comeToRest(history: History): Promise<void> {
  const { chain } = history;
  chain.trouble(null);
  history.liar?.tell(null);
  await chain.setTokenFee(0);
  if (chain.gas) await fillGasWallet(history, chain.gas);
  for (let round = 0; round < REST_ROUNDS; round += 1) {
    await pass(history, 11);
    const { watcher, sender, deps } = history.process;
    await drive(watcher);
    await switchOn(history, deps);
    const halts = await rowsOf(history, 'select 1 from signing_halt');
    if (halts.length > 0) {
      const choices = await recoverBook(history);
      if (round >= CERTAIN_ROUNDS) await choose(history, choices);
    }
    await checkSigned(history, () => work(sender, 50));
    await mine(history, 2 * chain.pace);
    await drive(watcher);
    const open = await rowsOf(history, `select 1 from payout where status in ('REQUESTED', 'BROADCAST')`);
    const waiting = await rowsOf(history, `select 1 from transfer where status in ('SIGNED', 'BROADCAST')`);
    if (open.length === 0 && waiting.length === 0) return;
  }
}

/** The operator puts assets back into service whose token takes no fee any more. */
async function switchOn(history: History, deps: Deps): Promise<void> {
  const off = await rowsOf<{ currency: string }>(history, 'select currency from asset_off');
  const { network } = history.chain.adapter;
  for (const { currency } of off) await inTransaction(deps, (em) => setAssetOn(em, { currency, network }));
}
