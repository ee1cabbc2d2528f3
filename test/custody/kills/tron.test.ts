// The signer of TRON as a process of its own, killed at every step between reservation and confirmation, on the double:
// the next one continues from there, even if it comes so late that the transaction has expired, and the money leaves
// exactly once.

import type { ChildProcess } from 'node:child_process';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { LIFETIME_MS } from '../../../src/chain/tron/send.ts';
import { FINAL_AFTER } from '../../doubles/tron/chain.ts';
import { CONFIRMATIONS, createTronPayoutSetup, TRX, type TronPayoutSetup } from '../tron-setup.fixture.ts';
import { createSignerProcesses } from './process.fixture.ts';
import type { Question, SignerTask } from './run-signer.fixture.ts';

/** The points at which the process is killed, and what is recorded at that moment. */
const POINTS = [
  ['after send GAS', 'the TRX that makes the deposit address an account are sent, and that is not recorded'],
  ['after sign SWEEP', 'the sweep is signed, and not stored'],
  ['before send SWEEP', 'it is stored, and not sent'],
  ['within settle SWEEP', 'its settling is not committed'],
  ['after sign PAYOUT', 'the payout is signed, and not stored'],
  ['before send PAYOUT', 'it is stored, and not sent'],
  ['after send PAYOUT', 'it is sent, and not recorded'],
  ['late within settle PAYOUT', 'its completion is not committed'],
  ['after settle PAYOUT', 'it is completed, and nobody was told'],
] as const;

const LATE_BLOCKS = LIFETIME_MS / 3_000 + FINAL_AFTER + 1;

let stage: TronPayoutSetup;
const processes = createSignerProcesses(answer);

beforeAll(async () => {
  stage = await createTronPayoutSetup();
  // From here on the hot wallet has TRX, so that every history below takes the same steps.
  const { id } = await begin();
  await stage.carryOut(id, stage.sender());
});
afterEach(() => processes.endAll());
afterAll(() => stage.stop());

/** A withdrawal of all of a token that lies at a deposit address without an account. */
async function begin(): Promise<{ id: string; recipient: string }> {
  const shop = await stage.setup.merchant();
  await stage.pay(await stage.order(shop, 'USDT'), 'USDT', 100n * TRX);
  const recipient = stage.stranger();
  return { id: await stage.withdraw(shop, 'USDT', '99', recipient), recipient };
}

async function answer({ method, parameters: [first, second] }: Question): Promise<unknown> {
  if (method === 'publicKey') return stage.signer.publicKey(first as string);
  if (method === 'sign') return stage.signer.sign(first as string, second as Uint8Array);
  if (method !== 'mine') throw new Error(`nobody does that on TRON: ${method}`);
  stage.double.chain.mine(first as number);
  await stage.settle(stage.watcher);
  return null;
}

function task(): SignerTask {
  const { double, setup, deps } = stage;
  const { url: rpcUrl, chainId, contracts } = double;
  return { network: 'TRON', databaseUrl: setup.url, rpcUrl, chainId, contracts, now: deps.clock.now() };
}

const run = (child: ChildProcess, stopAt: string) => processes.run(child, { ...task(), stopAt });

/** The points after which a transaction is left that can expire. */
const LEFT_BEHIND = POINTS.filter(([point]) => /^(before|after) send|^after sign PAYOUT/.test(point));

describe.each([
  ['at once', 0, POINTS],
  ['when what was signed has expired', LATE_BLOCKS, LEFT_BEHIND],
])(
  'a withdrawal is paid exactly once though its signer is killed, and the next one comes %s',
  (_when, blocks, points) => {
    it.each(points)('%s: %s', async (point, _state) => {
      const doomed = processes.start();
      const { id, recipient } = await begin();
      expect(await run(doomed, point)).toBe('killed');
      stage.double.chain.mine(blocks);
      await stage.settle(stage.watcher);
      await processes.finish(task());

      expect(await stage.payout(id)).toMatchObject({ status: 'COMPLETED', failure: null });
      expect(await stage.holds(recipient, 'USDT')).toBe(99n * TRX);
      const rows = await stage.setup.sql<{ hash: string; status: string }>(
        'select tx_hash as hash, status from transfer where payout_id = $1',
        [id],
      );
      for (const { hash, status } of rows)
        expect({ status, mined: stage.double.chain.find(hash) !== null }).toEqual({
          status,
          mined: status === 'CONFIRMED',
        });
      expect(rows.filter(({ status }) => status === 'CONFIRMED')).toHaveLength(1);
      stage.double.chain.mine(CONFIRMATIONS);
      await stage.settle(stage.sender(), stage.watcher);
      await stage.audit();
    });
  },
);
