// The paths of the watcher of a chain: blocks, the mempool, reorganisations, conflicts, and the clock.

import type { ChainBlock, Signed, Transfer } from '../../../../src/chain/blocks.ts';
import * as chain from '../../../../src/database/queries/chain/chain-cursor.ts';
import { findLostDeposits } from '../../../../src/database/queries/chain/conflicts.ts';
import { findChange, findInternalTransfers } from '../../../../src/database/queries/chain/internal-transfers.ts';
import { readObservedHeights, readWallets } from '../../../../src/database/queries/chain/network-state.ts';
import * as pool from '../../../../src/database/queries/chain/address-pool.ts';
import * as ranges from '../../../../src/database/queries/chain/address-ranges.ts';
import { readUnknown, resolveUnknown } from '../../../../src/database/queries/chain/unknown-transactions.ts';
import { findMatured } from '../../../../src/database/queries/payments/find-payments.ts';
import { findLostParents } from '../../../../src/database/queries/payouts/utxos.ts';
import { removeHalt } from '../../../../src/database/queries/payouts/signing-state.ts';
import { applyConflicts } from '../../../../src/domain/payments/apply-conflicts.ts';
import {
  applyAgain,
  applyBlock,
  applyMempool,
  applyRollback,
  applyTimeouts,
} from '../../../../src/domain/payments/apply-observation.ts';
import type { Network } from '../../../../src/values/assets.ts';
import { hashOf, HOT, idOf, keyOf, TIP } from './history.fixture.ts';
import type { Path, World } from './world.fixture.ts';

/** Hashes of transactions and blocks that the history does not have, each used once. */
let used = 0xabc000000;
const newHash = () => hashOf((used += 1));

async function cursorOf({ db }: World, network: Network): Promise<chain.Cursor> {
  const cursor = await chain.readCursor(db.em, network);
  if (!cursor) throw new Error('The history has no cursor');
  return cursor;
}

async function nextBlock(
  world: World,
  network: Network,
  transfers: readonly Transfer[],
  signed: readonly Signed[] = [],
): Promise<ChainBlock> {
  const { hash, height } = await cursorOf(world, network);
  return { hash: newHash(), height: height + 1, parentHash: hash, time: world.now, transfers, signed };
}

/** Transfers to open orders, to our wallet, to a gap address, and to strangers. */
function transfersOn({ last }: World, network: 'ETH' | 'LTC'): Transfer[] {
  const place = network === 'LTC' ? 3 : 0;
  const orders = Array.from({ length: 6 }, (_, each) => last - (last % 4) + place - 4 * (each + 3));
  const keys = [...orders.map(keyOf), HOT, keyOf(10_000_001), keyOf(77_000_001), keyOf(77_000_002)];
  const currency = network === 'LTC' ? 'LTC' : 'USDT';
  return keys.map((addressKey) => ({
    txHash: newHash(),
    ordinal: 1,
    addressKey,
    currency,
    amount: 1_000_000n,
    spends: `${newHash()}:1`,
  }));
}

async function applyBlocks(world: World): Promise<void> {
  for (const network of ['ETH', 'LTC'] as const) {
    const transfers = transfersOn(world, network);
    const by = transfers.map(({ txHash, addressKey }, nth) => ({
      txHash,
      by: nth === 0 ? [] : [keyOf(88_000_000 + nth)],
      nonce: 1,
      key: addressKey,
    }));
    const signed = by.map(({ key: _key, ...one }, nth) =>
      network === 'LTC' ? { ...one, by: [], spent: [`${hashOf(77_000_000 + nth)}:1`] } : one,
    );
    const block = await nextBlock(world, network, transfers, signed);
    await applyBlock(world.deps, network, block, block.height);
    await applyAgain(world.deps, network, block, block);
  }
}

/** Several blocks, at which all open deposits become final. */
async function mature(world: World): Promise<void> {
  for (let block = 0; block < 3; block += 1) {
    const next = await nextBlock(world, 'ETH', []);
    await applyBlock(world.deps, 'ETH', next, next.height);
  }
}

async function applyUnknown(world: World): Promise<void> {
  const transfers = transfersOn(world, 'ETH').slice(0, 1);
  const signed = transfers.map(({ txHash }) => ({ txHash, by: [HOT], nonce: 1 }));
  const block = await nextBlock(world, 'ETH', transfers, signed);
  await applyBlock(world.deps, 'ETH', block, block.height);
  await readUnknown(world.db.em, 'ETH');
  await resolveUnknown(world.db.em, 'ETH', transfers[0]?.txHash ?? '', 'explained', world.now);
  await removeHalt(world.db.em, 'ETH');
}

async function watchMempool(world: World): Promise<void> {
  const at = await cursorOf(world, 'ETH');
  await applyMempool(world.deps, 'ETH', at, transfersOn(world, 'ETH').slice(0, 5), [idOf('dep', world.last, true)]);
}

async function reorganise(world: World): Promise<void> {
  const at = await cursorOf(world, 'ETH');
  await chain.readRememberedBlocks(world.db.em, 'ETH');
  const ancestor = { hash: hashOf(TIP), height: TIP, parentHash: '0x0', time: world.now };
  await applyRollback(world.deps, 'ETH', at, ancestor);
}

async function findConflicts(world: World): Promise<void> {
  const at = await cursorOf(world, 'ETH');
  const lost = await findLostDeposits(world.db.em, 'ETH');
  await applyConflicts(
    world.deps,
    'ETH',
    at,
    lost.slice(0, 5).map(({ id }) => ({ id, height: TIP })),
  );
  await findLostParents(world.db.em, 'ETH', [hashOf(4), hashOf(8)]);
}

async function expire(world: World): Promise<void> {
  for (const network of ['ETH', 'LTC'] as const)
    await applyTimeouts(world.deps, network, await cursorOf(world, network), world.now, 10);
}

async function lookOn(world: World): Promise<void> {
  const { em } = world.db;
  await findMatured(em, 'ETH', TIP);
  await readWallets(em);
  await readObservedHeights(em);
  await findInternalTransfers(em, 'ETH', [{ txHash: hashOf(4) }]);
  await findChange(em, 'ETH', [{ txHash: hashOf(4), addressKey: HOT }]);
  await chain.startCursor(em, 'TRON', { hash: '0x1', height: 1, blockTime: world.now, tipHeight: 1 });
  await chain.lockCursorAt(em, 'ETH', hashOf(TIP));
}

async function makeAddresses({ commit }: World): Promise<void> {
  await commit(async (em) => {
    await pool.countFree(em, 'sol', 100);
    await pool.findLastAddress(em, 'sol');
    const end = await pool.renewPool(em, 'sol');
    if (end) await pool.addAddresses(em, 'sol', [{ index: end.next, address: 'a', key: 'a' }], end);
    await ranges.countAddresses(em, 'evm');
    await ranges.readShares(em, ['sol']);
  });
}

/** In this order: each needs the chain as the one before has left it. */
export const CHAIN_PATHS: readonly Path[] = [
  { name: 'what is known of a chain is read', run: lookOn },
  { name: 'a block is applied', run: applyBlocks },
  { name: 'deposits become final', run: mature },
  { name: 'a transaction that the book lacks is found', run: applyUnknown },
  { name: 'the mempool is applied', run: watchMempool },
  { name: 'orders expire', run: expire },
  { name: 'conflicts are applied', run: findConflicts },
  { name: 'blocks leave the chain', run: reorganise },
  { name: 'addresses are made ahead', run: makeAddresses },
];
