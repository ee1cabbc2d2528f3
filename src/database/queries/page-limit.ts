// Writes a page's limit so that PostgreSQL keeps one generic plan. The planner estimates a parameter limit as a tenth
// of the rows: with many rows the generic plan looks too expensive, so the statement is planned anew at each call,
// which takes longer than reading the page (bench/README.md). So the longest page is a literal limit, with the
// requested limit applied twice around it: a tenth of a tenth is one row, the cheapest estimate. Rows are read lazily,
// so it costs nothing.

/** The longest page, one hundred items, and one more to know whether there is a next page. */
const LONGEST_PAGE = 101;

/** The first rows of a statement, ordered by columns that it selects; `limit` is a parameter, at most `longest`. */
export function firstOf(rows: string, order: string, limit: string, longest = LONGEST_PAGE): string {
  const sorted = `order by ${order} limit`;
  return `select * from (select * from (${rows} ${sorted} ${longest}) l ${sorted} ${limit}) p ${sorted} ${limit}`;
}
