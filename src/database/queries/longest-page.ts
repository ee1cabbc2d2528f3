// How long a page of a list can be, for PostgreSQL to know: a statement whose limit is a parameter alone is taken for one
// that answers a tenth of the table, so that with many rows its plan is made anew at each call instead of being kept,
// which took longer than the page (0.3 to 0.9 ms; bench/README.md). Rows are limited twice therefore: to this many, which
// is written out, and outside of that to those that are asked for. They are read as they are needed, so it costs nothing.

/** The hundred items of the longest page, and the one that says that there are more. */
export const LONGEST_PAGE = 101;
