// The Solana signer on litesvm, as a process of its own, killed around each signing and broadcast. Its successor pays
// exactly once, even if the transaction has expired, was dropped, or was forked away, or if a node lags. It signs again
// only once final blocks prove that the first transaction can never be mined.

import type { ChildProcess } from 'node:child_process';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Curve } from '../../../src/chain/transactions.ts';
import { newKey } from '../../doubles/solana/accounts.ts';
import { LIFETIME } from '../../doubles/solana/chain.ts';
import { createSignerProcesses } from './process.fixture.ts';
import type { Question, SignerTask } from './run-signer.fixture.ts';
import { CONFIRMATIONS, createSolanaPayoutSetup, type SolanaPayoutSetup } from '../solana-setup.fixture.ts';

/**
 * The points at which the signer is killed, and what is recorded then. Steps that touch only our own tables are tested
 * on other chains.
 */
const POINTS = [
  ['before send SWEEP', 'the sweep is stored, and not sent'],
  ['after sign PAYOUT', 'the payout is signed, and not stored'],
  ['before send PAYOUT', 'it is stored, and not sent'],
  ['after send PAYOUT', 'it is sent, and that is not recorded'],
  ['late within settle PAYOUT', 'its completion is not committed'],
] as const;
/** The points after which a transaction is left that can expire. */
const LEFT_BEHIND = POINTS.filter(([point]) => /^(before|after) send|^after sign PAYOUT/.test(point));
const LATE_BLOCKS = LIFETIME + CONFIRMATIONS + 1;

const UNITS = 1_000_000n;
/** A run takes about three hundred blocks, each of which is applied. */
const DEADLINE_MS = 90_000;

let stage: SolanaPayoutSetup;
/** Called when a process asked for blocks, after they were made. */
let mined: () => Promise<void> = () => Promise.resolve();
const processes = createSignerProcesses(answer);

beforeAll(async () => {
  stage = await createSolanaPayoutSetup();
});
afterEach(() => {
  processes.endAll();
  stage.node.override(null);
  stage.node.chain.holdFinal(null);
  mined = () => Promise.resolve();
});
afterAll(() => stage.stop());

/** A withdrawal of all of a token that lies at a deposit address. */
async function begin(): Promise<{ id: string; recipient: string }> {
  const shop = await stage.setup.merchant();
  await stage.pay(await stage.order(shop, 'USDT'), 'USDT', 100n * UNITS);
  const recipient = newKey().address;
  return { id: await stage.withdraw(shop, 'USDT', '99', recipient), recipient };
}

async function answer({ method, parameters: [first, second, third] }: Question): Promise<unknown> {
  if (method === 'publicKey') return stage.signer.publicKey(first as string, second as Curve);
  if (method === 'sign') return stage.signer.sign(first as string, second as Uint8Array, third as Curve);
  if (method !== 'mine') throw new Error(`unexpected on Solana: ${method}`);
  stage.mine(first as number);
  await stage.settle(stage.watcher);
  await mined();
  return null;
}

function task(): SignerTask {
  const { node, setup, deps } = stage;
  const { url: rpcUrl, genesisHash, contracts } = node;
  return { network: 'SOL', databaseUrl: setup.url, rpcUrl, genesisHash, contracts, now: deps.clock.now() };
}

const run = (child: ChildProcess, stopAt: string) => processes.run(child, { ...task(), stopAt });

interface Row {
  readonly hash: string;
  readonly status: string;
  readonly raw: string;
}

const payoutsOf = (id: string) =>
  stage.setup.sql<Row>('select tx_hash as hash, status, raw from transfer where payout_id = $1 order by nonce', [id]);

/** Checks that it was paid in full and once, that rows and chain agree, and that the books balance. */
async function expectPaidOnce({ id, recipient }: { id: string; recipient: string }): Promise<Row[]> {
  expect(await stage.payout(id)).toMatchObject({ status: 'COMPLETED', failure: null });
  const rows = await payoutsOf(id);
  for (const { raw } of rows) stage.node.chain.submit(Buffer.from(raw, 'base64'));
  stage.mine(CONFIRMATIONS);
  expect(await stage.holds(recipient, 'USDT')).toBe(99n * UNITS);
  for (const { hash, status } of rows)
    expect({ status, mined: stage.node.chain.find(hash) !== null }).toEqual({ status, mined: status === 'CONFIRMED' });
  expect(rows.filter(({ status }) => status === 'CONFIRMED')).toHaveLength(1);
  await stage.settle(stage.sender(), stage.watcher);
  await stage.audit();
  return rows;
}

describe.each([
  ['at once', 0, POINTS],
  ['when what was signed has expired', LATE_BLOCKS, LEFT_BEHIND],
])(
  'a withdrawal is paid exactly once though its signer is killed, and the next one comes %s',
  (_when, blocks, points) => {
    it.each(points)(
      '%s: %s',
      async (point, _state) => {
        const doomed = processes.start();
        const begun = await begin();
        expect(await run(doomed, point)).toBe('killed');
        stage.mine(blocks);
        await stage.settle(stage.watcher);
        await processes.finish(task());
        const rows = await expectPaidOnce(begun);
        // The transaction that was stored but not sent has expired.
        expect(rows).toHaveLength(blocks > 0 && point === 'before send PAYOUT' ? 2 : 1);
      },
      DEADLINE_MS,
    );
  },
);

describe('what its signer left behind, killed,', () => {
  it(
    'is signed again where the network dropped what it had taken',
    async () => {
      const doomed = processes.start();
      const begun = await begin();
      const isPayout = async (raw: unknown) => (await payoutsOf(begun.id)).some((row) => row.raw === raw);
      stage.node.override(async ({ method, params: [raw] }) =>
        method === 'sendTransaction' && (await isPayout(raw)) ? 'taken' : undefined,
      );
      expect(await run(doomed, 'after send PAYOUT')).toBe('killed');
      stage.node.override(null);
      stage.mine(LATE_BLOCKS);
      await stage.settle(stage.watcher);
      await processes.finish(task());
      const statuses = (await expectPaidOnce(begun)).map(({ status }) => status);
      expect(statuses).toEqual(['EXPIRED', 'CONFIRMED']);
    },
    DEADLINE_MS,
  );

  it(
    'is not signed again before its expiry is final: a fork revives it, and the payout is paid once',
    async () => {
      const doomed = processes.start();
      const begun = await begin();
      expect(await run(doomed, 'before send PAYOUT')).toBe('killed');
      const [stored] = await payoutsOf(begun.id);
      stage.node.chain.holdFinal(stage.node.chain.tip().slot);
      stage.mine(LIFETIME + 1);
      let rounds = 0;
      mined = async () => {
        rounds += 1;
        expect(await payoutsOf(begun.id)).toHaveLength(1);
        if (rounds !== 3) return;
        // The transaction is known to the network: a branch that is early enough includes it.
        stage.node.chain.fork(40, { blocks: 1 });
        expect(stage.node.chain.submit(Buffer.from(stored?.raw ?? '', 'base64'))).toBe(stored?.hash);
        stage.mine(45);
        stage.node.chain.holdFinal(null);
        await stage.settle(stage.watcher);
      };
      await processes.finish(task());
      expect(rounds).toBeGreaterThanOrEqual(3);
      expect(await expectPaidOnce(begun)).toHaveLength(1);
    },
    DEADLINE_MS,
  );

  it(
    'is not signed again while a lagging node does not report it, although final blocks contain it',
    async () => {
      const doomed = processes.start();
      const begun = await begin();
      expect(await run(doomed, 'after send PAYOUT')).toBe('killed');
      stage.mine(LATE_BLOCKS);
      await stage.settle(stage.watcher);
      // A lagging node at the same address: it does not know the transaction that final blocks hold.
      stage.node.override(({ method, params }) => {
        if (method !== 'getSignatureStatuses') return undefined;
        const value = (params[0] as readonly string[]).map(() => null);
        return { context: { slot: stage.node.chain.tip().slot }, value };
      });
      let rounds = 0;
      mined = async () => {
        rounds += 1;
        expect(await payoutsOf(begun.id)).toHaveLength(1);
        if (rounds === 3) stage.node.override(null);
      };
      await processes.finish(task());
      expect(rounds).toBeGreaterThanOrEqual(3);
      expect(await expectPaidOnce(begun)).toHaveLength(1);
    },
    DEADLINE_MS,
  );
});
