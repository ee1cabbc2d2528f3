// Judges the figures of all codes from the newest ticks of the feeds, and stores those that are good, and jumps.

import { tryAdvisoryLock } from '../../database/advisory-lock.ts';
import { readLastGood, storeFigures, type Figure } from '../../database/queries/rates/figures.ts';
import { readTicks } from '../../database/queries/rates/ticks.ts';
import { formatAmount } from '../../values/amount.ts';
import { judgeFigure, type FeedTick, type FigureRules } from '../../values/feeds/figure.ts';
import { USD_DECIMALS } from '../../values/prices/price.ts';
import { inTransaction, type Deps } from '../deps.ts';

/**
 * Judges the figures now. It is one transaction, and one process at a time does it: the others' ticks are in its
 * judgement, or in its next one.
 */
export async function judgeFigures(
  deps: Pick<Deps, 'db' | 'clock'>,
  feeds: readonly string[],
  rules: FigureRules,
): Promise<void> {
  await inTransaction(deps, async (em) => {
    if (!(await tryAdvisoryLock(em, 'rate-figures'))) return;
    const ticks = Map.groupBy(await readTicks(em, feeds), ({ code }) => code);
    const now = deps.clock.now();
    const since = new Date(now.getTime() - rules.lastGoodMinutes * 60_000);
    const lastGood = await readLastGood(em, [...ticks.keys()], since);
    const figures = [...ticks].flatMap(([code, said]): Figure[] => {
      const judged = judgeFigure(said, lastGood.get(code) ?? null, rules, now);
      if (judged.kind === 'NONE') return [];
      if (judged.kind === 'JUMP') return [{ code, usd: null, at: now, sources: said.map(sourceOf) }];
      return [{ code, usd: judged.usd, at: now, sources: judged.ticks.map(sourceOf) }];
    });
    if (figures.length > 0) await storeFigures(em, figures);
  });
}

const sourceOf = ({ feed, usd, at }: FeedTick) => ({
  ...{ feed, usd: formatAmount(usd, USD_DECIMALS), at: at.toISOString() },
});
