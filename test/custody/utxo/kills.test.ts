// The signer of Litecoin as a process of its own, killed at every step between reservation and confirmation, on a real
// litecoind: while it pays, and while it replaces a stuck transaction. Whichever of the two is mined, the money leaves
// exactly once.

import type { ChildProcess } from 'node:child_process';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { describeWithLitecoind } from '../../support/litecoind.ts';
import { createSeedSigner } from '../../../src/custody/keys/signer.ts';
import { createSignerProcesses } from '../kills/process.fixture.ts';
import type { Question, SignerTask } from '../kills/run-signer.fixture.ts';
import { createUtxoSetup, LITE, type TransferLine, type UtxoSetup } from './setup.fixture.ts';

/** The points at which the process is killed, and what is recorded at that moment. */
const POINTS = [
  ['before sign PAYOUT', 'the payout is locked, and not signed'],
  ['after sign PAYOUT', 'it is signed, and not stored'],
  ['before send PAYOUT', 'it is stored, and not sent'],
  ['after send PAYOUT', 'it is sent, and not recorded'],
  ['late within settle PAYOUT', 'its completion is not committed'],
  ['after settle PAYOUT', 'it is completed, and nobody was told'],
] as const;

/** The replacement is on its way, and the first one may still be mined. */
const UNDECIDED = POINTS.slice(1, 4);

let stage: UtxoSetup;
const processes = createSignerProcesses(answer);

async function answer({ method, parameters: [first, second] }: Question): Promise<unknown> {
  const signer = createSeedSigner(stage.seed);
  if (method === 'publicKey') return signer.publicKey(first as string);
  if (method === 'sign') return signer.sign(first as string, second as Uint8Array);
  if (method !== 'mine') throw new Error(`nobody does that on Litecoin: ${method}`);
  await stage.litecoin.mine(first as number);
  await stage.settle(stage.watcher());
  return null;
}

function task(): SignerTask {
  const { litecoin, setup, deps } = stage;
  const { rpcUrl, cookiePath } = litecoin;
  return { network: 'LTC', databaseUrl: setup.url, rpcUrl, cookiePath, contracts: new Map(), now: deps.clock.now() };
}

const run = (child: ChildProcess, stopAt: string) => processes.run(child, { ...task(), stopAt });

/** A withdrawal paid from one deposit. */
async function begin(): Promise<{ id: string; address: string }> {
  stage.pass(1);
  const shop = await stage.setup.merchant();
  await stage.pay(await stage.order(shop), 3n * LITE);
  const address = await stage.outside();
  const { id } = await stage.withdraw(shop, '1', address);
  return { id, address };
}

/** The same, ten minutes after it was sent without being mined. */
async function beginStuck(): Promise<{ id: string; address: string; first: TransferLine }> {
  const { id, address } = await begin();
  await stage.settle(stage.sender());
  const [first] = await stage.transfers(id);
  if (!first) throw new Error('nothing was sent');
  stage.pass(11);
  return { id, address, first };
}

/** Mines a block of a miner who knows only the first one. */
async function mineFirst({ raw }: TransferLine): Promise<void> {
  await stage.node('generateblock', await stage.outside(), [raw]);
  await stage.settle(stage.watcher());
}

/** Checks that one transaction paid it, its rivals are void, and the book agrees with the chain. */
async function expectPaidOnce(id: string, address: string): Promise<TransferLine[]> {
  expect(await stage.payout(id)).toMatchObject({ status: 'COMPLETED' });
  expect(await stage.received(address)).toBe(LITE);
  const rows = await stage.transfers(id);
  for (const { tx_hash, status } of rows) {
    const { kind } = await stage.adapter.txState(tx_hash);
    expect({ status, kind }).toEqual(
      status === 'CONFIRMED' ? { status, kind: 'mined' } : { status: 'REPLACED', kind: 'unknown' },
    );
  }
  expect(rows.filter(({ status }) => status === 'CONFIRMED')).toHaveLength(1);
  expect(await stage.node('getrawmempool')).toEqual([]);
  await stage.audit();
  return rows;
}

describeWithLitecoind('a withdrawal of Litecoin is paid exactly once though its signer is killed', () => {
  beforeAll(async () => {
    stage = await createUtxoSetup();
  });
  afterEach(() => processes.endAll());
  afterAll(() => stage.stop());

  it.each(POINTS)('%s: %s', async (point, _state) => {
    const doomed = processes.start();
    const { id, address } = await begin();
    expect(await run(doomed, point)).toBe('killed');
    await processes.finish(task());
    expect(await expectPaidOnce(id, address)).toHaveLength(1);
  });

  it.each(POINTS.slice(1))('while it offers more for one that is stuck, %s: %s', async (point, _state) => {
    const doomed = processes.start();
    const { id, address } = await beginStuck();
    expect(await run(doomed, point)).toBe('killed');
    await processes.finish(task());
    const rows = await expectPaidOnce(id, address);
    expect(rows.map(({ status }) => status)).toEqual(['REPLACED', 'CONFIRMED']);
  });

  it.each(UNDECIDED)('while it offers more, %s: %s; and a block takes the first one', async (point, _state) => {
    const doomed = processes.start();
    const { id, address, first } = await beginStuck();
    expect(await run(doomed, point)).toBe('killed');
    await mineFirst(first);
    await processes.finish(task());
    const [paid] = await expectPaidOnce(id, address);
    expect(paid).toMatchObject({ tx_hash: first.tx_hash, status: 'CONFIRMED' });
  });
});
