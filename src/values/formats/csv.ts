// Writes rows as CSV (RFC 4180): a header row, CRLF line ends, no byte-order mark. Text that a spreadsheet would run as
// a formula gets an apostrophe.

type Row = Readonly<Record<string, unknown>>;

/** Text that a spreadsheet would run as a formula, unless it is a number. */
const FORMULA = /^[=+\-@\t\r]/;
const NUMBER = /^-?\d+(\.\d+)?$/;

/** Writes rows as CSV. Text that a spreadsheet would run as a formula is prefixed with an apostrophe. */
export function toCsv(columns: readonly string[], rows: readonly Row[]): string {
  return lineOf(columns) + toLines(columns, rows);
}

/** Like `toCsv`, but streamed: each batch is written as soon as it is read. */
export async function* streamCsv(
  columns: readonly string[],
  parts: AsyncIterable<readonly Row[]>,
): AsyncGenerator<string, void> {
  let head = lineOf(columns);
  for await (const rows of parts) {
    const lines = head + toLines(columns, rows);
    head = '';
    if (lines !== '') yield lines;
  }
  if (head !== '') yield head;
}

function toLines(columns: readonly string[], rows: readonly Row[]): string {
  return rows.map((row) => lineOf(columns.map((column) => textOf(row[column])))).join('');
}

const lineOf = (cells: readonly string[]) => `${cells.map(quote).join(',')}\r\n`;

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
}

function quote(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
