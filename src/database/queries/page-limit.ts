// How long a page of a list is, for PostgreSQL to know. It takes a limit that is a parameter for a tenth of what is found:
// with many rows a plan that could be kept looks dear, and the statement is planned anew at each call, which takes longer
// than the page (bench/README.md). So the longest page is written out, and what is asked for is a limit around it, twice:
// a tenth of a tenth is one row, than which no plan looks cheaper. Rows are read as they are needed, so it costs nothing.

/** The hundred items of the longest page, and the one that says that there are more. */
const LONGEST_PAGE = 101;

/** The first rows of a statement in an order of columns that it answers; `limit` is a parameter. */
export function firstOf(rows: string, order: string, limit: string): string {
  const sorted = `order by ${order} limit`;
  return `select * from (select * from (${rows} ${sorted} ${LONGEST_PAGE}) l ${sorted} ${limit}) p ${sorted} ${limit}`;
}
