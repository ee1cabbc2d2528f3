// The paths of what keeps the book right: its check, the comparison with the chain, and retention.

import * as custody from '../../../../src/database/queries/ledger/custody.ts';
import { readCheckpoint, sealPostings } from '../../../../src/database/queries/ledger/checkpoint.ts';
import * as progress from '../../../../src/database/queries/ledger/custody-progress.ts';
import * as readings from '../../../../src/database/queries/ledger/custody-readings.ts';
import { changeHoldingsAt } from '../../../../src/database/queries/ledger/holdings.ts';
import { dropPartition, endsBefore, makePartitions } from '../../../../src/database/queries/partitions.ts';
import { pruneEvents, pruneRows } from '../../../../src/database/queries/prune.ts';
import { checkBook } from '../../../../src/domain/ledger/check-book.ts';
import { hashOf, HOT, keyOf, TIP } from './history.fixture.ts';
import type { Path, World } from './world.fixture.ts';

const DAY_MS = 86_400_000;

async function check({ deps, db, commit }: World): Promise<void> {
  const { checked } = await checkBook(deps, { everyMs: 0 });
  if (checked !== 'RECENT') throw new Error('What is new in the book was not checked by itself');
  const { postingId } = await readCheckpoint(db.em);
  await commit((em) => sealPostings(em, postingId, String(BigInt(postingId) + 20n)));
}

async function compareCustody({ db, commit, last }: World): Promise<void> {
  const { em } = db;
  const place = { network: 'ETH', account: 'evm' } as const;
  const claim = { network: 'ETH', by: 'test' };
  await progress.claimCustody(em, claim);
  const keys = await progress.findAddresses(em, place, keyOf(100), 50);
  await progress.findOpenOrders(em, 'ETH', { at: null, id: '' }, 50);
  const at = { hash: hashOf(TIP), height: TIP };
  const request = { ...place, at, since: TIP - 2, round: 2, doubtful: [], limit: 100 };
  await readings.findDueReadings(em, request);
  await commit(async (inside) => {
    await progress.keepClaim(inside, claim);
    await readings.storeReadings(inside, {
      ...{ network: 'ETH', round: 2, at, keys },
      balances: keys.map((key) => ({ key, currency: 'USDT', units: 5n })),
    });
    await custody.rememberStrays(inside, 'ETH', await custody.findQuiet(inside, place, keys));
    await progress.advancePass(inside, 'ETH', { after: keys.at(-1) ?? '', count: keys.length, isLast: false });
    await progress.moveOpenPlace(inside, 'ETH', { at: null, id: '' });
  });
  await progress.endSlice(em, 'ETH');
  await custody.readOwnBalances(em, 'ETH', 'custody');
  await custody.readDepositsUnderWay(em, 'ETH');
  await custody.readPayoutsUnderWay(em, 'ETH', { ids: [], doubtful: [] });
  await readings.readTotals(em, 'ETH');
  await readings.repeatReadings(em, 'ETH', 2);
  await readings.readAgain(em, 'ETH', [keyOf(1), keyOf(2)]);
  await readings.readPartiesAgain(em, 'ETH', hashOf(last));
  await readings.endComparison(em, 'ETH', TIP);
  await progress.releaseCustody(em, claim);
  const difference = { network: 'ETH', currency: 'USDT', book: 1n, chain: 2n, difference: 1n };
  await custody.insertDifference(em, difference, new Date());
  await custody.resolveDifferences(em, 'ETH', new Date());
  await changeHoldingsAt(em, 'ETH', [
    { addressKey: HOT, currency: 'USDT', units: 1n },
    { addressKey: keyOf(8), currency: 'USDT', units: 1n },
  ]);
}

async function prune({ db, commit, now }: World): Promise<void> {
  const before = (days: number) => new Date(now.getTime() - days * DAY_MS);
  await pruneRows(db.em, 'idempotency', before(2));
  await pruneRows(db.em, 'deliveryChanges', before(1 / 24));
  await pruneRows(db.em, 'sessions', before(1));
  await pruneRows(db.em, 'apiLog', before(90));
  await pruneRows(db.em, 'endpointHours', before(8));
  // The oldest hours of the log; at the second look there is nothing left to prune.
  for (let look = 0; look < 2; look += 1) await commit((em) => pruneEvents(em, before(90 - 1 / 8)));
  await makePartitions(db.em, 'webhook_attempt', now);
  await endsBefore(db.em, 'webhook_attempt', now);
  await dropPartition(db.em, 'webhook_attempt', before(90));
}

export const BOOK_PATHS: readonly Path[] = [
  { name: 'what is new in the book is checked', run: check },
  { name: 'custody is compared in slices', run: compareCustody },
  { name: 'what is too old is deleted', run: prune },
];
