// The European Central Bank's reference rates of the euro, once each working day. Its XML is read strictly, by two
// patterns: there is nothing in it to expand.
// https://www.ecb.europa.eu/stats/policy_and_exchange_rates/euro_reference_exchange_rates

import { asUsd, ratio, readDecimal } from './decimals.ts';
import { isFiat } from '../prices/currencies.ts';
import { isPriced, tickOf, type ReadTicks } from './tick.ts';

const DAY = /<Cube\s+time=(['"])(\d{4}-\d\d-\d\d)\1\s*>/;
const RATE = /<Cube\s+currency=(['"])([A-Z]{3})\1\s+rate=(['"])([^'"<>]*)\3\s*\/>/g;

/** They are published at about four o'clock in the afternoon in Frankfurt, which in summer is this. */
const PUBLISHED_AT = 'T14:00:00Z';

/** Reads what each currency costs: dollars per euro over the currency per euro. Throws without a day or the dollar. */
export const readEcb: ReadTicks = (body) => {
  const day = DAY.exec(body)?.[2];
  const at = new Date(`${day ?? ''}${PUBLISHED_AT}`);
  if (Number.isNaN(at.getTime())) throw new Error('there is no day');
  const rates = new Map([...body.matchAll(RATE)].map(([, , code = '', , rate]) => [code, readDecimal(rate)]));
  const dollars = rates.get('USD') ?? null;
  if (dollars === null) throw new Error('there is no rate of the dollar');
  const others = [...rates].filter(([code]) => isFiat(code) && isPriced(code) && code !== 'EUR');
  return [
    ...tickOf('EUR', asUsd(dollars), at),
    ...others.flatMap(([code, rate]) => tickOf(code, ratio(dollars, rate), at)),
  ];
};
