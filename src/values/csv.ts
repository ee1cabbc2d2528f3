// Rows as CSV (RFC 4180): a header of the fields in their order, CRLF, no byte-order mark.

/** Texts that a spreadsheet would run as a formula, numbers aside. */
const FORMULA = /^[=+\-@\t\r]/;
const NUMBER = /^-?\d+(\.\d+)?$/;

/** Writes rows as CSV. What a spreadsheet would take for a formula gets an apostrophe before it. */
export function toCsv(columns: readonly string[], rows: readonly Readonly<Record<string, unknown>>[]): string {
  const lines = [columns, ...rows.map((row) => columns.map((column) => textOf(row[column])))];
  return lines.map((cells) => `${cells.map(quote).join(',')}\r\n`).join('');
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
}

function quote(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
