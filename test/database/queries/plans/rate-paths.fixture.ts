// What observers and processes do with rates: polls, figures, the memory, and what receipts ask.

import * as feeds from '../../../../src/database/queries/rates/feeds.ts';
import * as figures from '../../../../src/database/queries/rates/figures.ts';
import { readTicks, storeTicks } from '../../../../src/database/queries/rates/ticks.ts';
import { repeat, type Path, type World } from './world.fixture.ts';

const minutesBefore = (time: Date, minutes: number) => new Date(time.getTime() - minutes * 60_000);
const CODES = ['BTC', 'EUR', 'ETH'];

async function poll({ commit, now }: World): Promise<void> {
  await repeat(async (nth) => {
    const lease = new Date(now.getTime() + 20_000 + nth);
    const claim = await commit((em) => feeds.claimFeed(em, 'feed new', now, lease));
    if (!claim) return;
    await commit(async (em) => {
      await feeds.endClaim(em, claim, { dueAt: now, failures: 0 });
      await storeTicks(
        em,
        claim.name,
        CODES.map((code) => ({ code, usd: 10n ** 18n, at: now })),
      );
    });
  });
}

async function judge({ commit, now, db }: World): Promise<void> {
  await repeat((nth) =>
    commit(async (em) => {
      await readTicks(em, ['feed 1', 'feed 2', 'feed new']);
      await figures.readLastGood(em, CODES, minutesBefore(now, 10));
      const at = new Date(now.getTime() + nth);
      await figures.storeFigures(
        em,
        CODES.map((code) => ({ code, usd: 10n ** 18n, at, sources: [] })),
      );
    }),
  );
  await feeds.readFeedFailures(db.em);
}

async function remember({ db, now }: World): Promise<void> {
  await repeat(() => figures.readFiguresAfter(db.em, minutesBefore(now, 10)));
  await repeat(() => figures.readKnownCodes(db.em));
}

async function value({ db, now }: World): Promise<void> {
  const wanted = [10, 1_000, 2_000].flatMap((minutes) =>
    ['BTC', 'EUR', 'XXX'].map((code) => ({ code, at: minutesBefore(now, minutes) })),
  );
  await repeat(() => figures.readFiguresAt(db.em, wanted));
}

/** In this order: figures are made of what was polled. */
export const RATE_PATHS: readonly Path[] = [
  { name: 'a feed of rates is polled', run: poll },
  { name: 'figures are judged', run: judge },
  { name: 'a process remembers figures', run: remember },
  { name: 'receipts ask for past figures', run: value },
];
