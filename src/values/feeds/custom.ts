// A feed of the operator's own: {"rates":[{"code","usd","at"}]}.

import { asUsd, readDecimal } from './decimals.ts';
import { fieldOf, itemsOf, parseWithNumbersAsText } from './json-text.ts';
import { isPriced, tickOf, type ReadTicks } from './tick.ts';

/** ISO 8601 with a time zone. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/;

/** Reads each rate as of its `at`, an ISO 8601 time; without one, as of its arrival. */
export const readCustom: ReadTicks = (body, arrivedAt) =>
  itemsOf(fieldOf(parseWithNumbersAsText(body), 'rates'), 'rates').flatMap((rate) => {
    const named = fieldOf(rate, 'code');
    const code = typeof named === 'string' ? named.toUpperCase() : '';
    const at = timeOf(fieldOf(rate, 'at'), arrivedAt);
    return isPriced(code) && at !== null ? tickOf(code, asUsd(readDecimal(fieldOf(rate, 'usd'))), at) : [];
  });

/** Null for what is there and is no time. */
function timeOf(text: unknown, arrivedAt: Date): Date | null {
  if (text === undefined || text === null) return arrivedAt;
  const at = new Date(typeof text === 'string' && TIME.test(text) ? text : Number.NaN);
  return Number.isNaN(at.getTime()) ? null : at;
}
