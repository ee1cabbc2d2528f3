// The signer as a process of its own, killed at every step between reservation and confirmation: the next one continues
// from there, and the money leaves exactly once.

import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { verifyLedger } from '../../../src/domain/ledger/verify.ts';
import { createPayoutSetup, type PayoutSetup } from '../payout-setup.fixture.ts';
import { createSignerProcesses } from './process.fixture.ts';
import type { Question, SignerTask } from './run-signer.fixture.ts';

/** The points at which the process is killed, and what is recorded at that moment. */
const POINTS = [
  ['before send GAS', 'the gas for the sweep is stored, and not sent'],
  ['after send GAS', 'it is sent, and not recorded'],
  ['after sign SWEEP', 'the sweep is signed, and not stored'],
  ['before send SWEEP', 'it is stored, and not sent'],
  ['after send SWEEP', 'it is sent, and not recorded'],
  ['within settle SWEEP', 'its settling is not committed'],
  ['before sign PAYOUT', 'the payout is locked, and not signed'],
  ['after sign PAYOUT', 'it is signed, and not stored'],
  ['before send PAYOUT', 'it is stored, and not sent'],
  ['after send PAYOUT', 'it is sent, and not recorded'],
  ['before mine PAYOUT', 'it is in the mempool'],
  ['after mine PAYOUT', 'it is mined, and nobody looked'],
  ['after receipt PAYOUT', 'its receipt is read'],
  ['late within settle PAYOUT', 'its completion is not committed'],
  ['after settle PAYOUT', 'it is completed, and nobody was told'],
] as const;

const AMOUNT = 49_500_000n;

let stage: PayoutSetup;
const processes = createSignerProcesses(answer);

beforeAll(async () => {
  stage = await createPayoutSetup();
  // From here on the hot wallet has gas, so that every history below takes the same steps.
  await begin();
  await stage.settle(stage.sender(), stage.watcher());
});
afterEach(() => processes.endAll());
afterAll(() => stage.stop());

/** A withdrawal of a token that lies at a deposit address without gas. */
async function begin(): Promise<{ id: string; recipient: string }> {
  stage.pass(1);
  const shop = await stage.setup.merchant();
  await stage.pay(await stage.order(shop), 'USDT', 50_000_000n);
  const recipient = `0x${randomBytes(20).toString('hex')}`;
  const { id } = await stage.withdraw(shop, 'USDT', '49.5', recipient);
  return { id, recipient };
}

/** The questions of the processes, answered. */
function answer({ method, parameters: [first, second] }: Question): Promise<unknown> {
  const { dev, signer } = stage;
  switch (method) {
    case 'publicKey':
      return signer.publicKey(first as string);
    case 'sign':
      return signer.sign(first as string, second as Uint8Array);
    case 'sendRaw':
      return dev.sendRaw(first as string);
    case 'mine':
      return dev.mine(first as number);
    case 'deposit':
      return dev.deposit(first as Parameters<typeof dev.deposit>[0]);
  }
}

function task(): SignerTask {
  const { dev, setup } = stage;
  const { rpcUrl, chainId, contracts } = dev;
  return { databaseUrl: setup.url, rpcUrl, chainId, contracts, now: stage.deps.clock.now() };
}

const run = (child: ChildProcess, stopAt: string) => processes.run(child, { ...task(), stopAt });

/** A payout's transactions that the chain executed. */
async function carriedOut(payoutId: string): Promise<number> {
  const rows = await stage.setup.sql<{ hash: string }>('select tx_hash as hash from transfer where payout_id = $1', [
    payoutId,
  ]);
  const receipts = await Promise.all(rows.map(({ hash }) => stage.adapter.receipt(hash)));
  return receipts.filter((receipt) => receipt?.succeeded).length;
}

describe('a withdrawal is paid exactly once though its signer is killed', () => {
  it.each(POINTS)('%s: %s', async (point, _state) => {
    const doomed = processes.start();
    const { id, recipient } = await begin();
    expect(await run(doomed, point)).toBe('killed');
    await processes.finish(task());

    expect(await stage.payout(id)).toMatchObject({ status: 'COMPLETED', failure: null });
    expect(await stage.holds(recipient, 'USDT')).toBe(AMOUNT);
    expect(await carriedOut(id)).toBe(1);
    const open = await stage.setup.sql(`select id from transfer where status in ('SIGNED', 'BROADCAST')`);
    expect(open).toEqual([]);
    await stage.audit();
    expect((await verifyLedger(stage.deps.db)).faults).toEqual([]);
  });
});
