// Reads a batch of withdrawals from a CSV file, and says by its line what is wrong with it (contract-people-payouts,
// section D).

import Papa from 'papaparse';

const REQUIRED = ['currency', 'network', 'amount', 'address'] as const;
const COLUMNS = [...REQUIRED, 'merchantWithdrawalId'] as const;
/** A batch has no more rows. */
const MOST_ROWS = 1_000;
/** A spreadsheet would run such a cell as a formula: it is no amount, address or id. */
const FORMULA = /^[=+\-@]/;

/** A withdrawal of the file. */
export interface FileRow {
  /** The line of the file, counted from 1 with its head. */
  readonly line: number;
  readonly currency: string;
  readonly network: string;
  readonly amount: string;
  readonly address: string;
  readonly merchantWithdrawalId: string | null;
}

/** What is wrong, and where; the line is null if it is about the file as a whole. */
export interface LineFault {
  readonly line: number | null;
  /** The column; null for the whole line. */
  readonly column: string | null;
  readonly message: string;
}

/** The rows of a file, or everything that is wrong with it. */
export type ReadBatch =
  | { readonly rows: readonly FileRow[]; readonly faults: null }
  | { readonly rows: null; readonly faults: readonly LineFault[] };

/** Reads the bytes of a file: UTF-8, one withdrawal a line, below a head that names the columns. */
export function readBatch(bytes: ArrayBuffer): ReadBatch {
  const text = decode(bytes);
  if (text === null) return whole('The file is not UTF-8 text. Save it as CSV with this encoding.');
  const { data, errors } = Papa.parse<string[]>(text, { delimiter: ',' });
  const [broken] = errors;
  if (broken) return { rows: null, faults: [{ line: lineOf(broken.row), column: null, message: broken.message }] };
  const [head = [], ...lines] = data.map((cells) => cells.map((cell) => cell.trim()));
  const wrong = faultOfHead(head);
  if (wrong !== null) return { rows: null, faults: [{ line: 1, column: null, message: wrong }] };
  const filled = lines.map((cells, nth) => ({ line: nth + 2, cells })).filter(({ cells }) => cells.some(Boolean));
  if (filled.length === 0) return whole('There is no withdrawal in the file.');
  if (filled.length > MOST_ROWS) return whole(`A batch has at most 1,000 withdrawals; these are ${filled.length}.`);
  const faults = filled.flatMap((each) => faultsOf(each, head));
  return faults.length > 0
    ? { rows: null, faults }
    : { rows: filled.map(({ line, cells }) => toRow(line, cells, head)), faults: null };
}

const whole = (message: string): ReadBatch => ({ rows: null, faults: [{ line: null, column: null, message }] });

/** Rows are counted without the head from 0; there are no cells with several lines. */
const lineOf = (row: number | undefined): number | null => (row === undefined ? null : row + 1);

function decode(bytes: ArrayBuffer): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

function faultOfHead(head: readonly string[]): string | null {
  const expected = `The first line has to be ${COLUMNS.join(',')}; the last column may be left out.`;
  const unknown = head.filter((name) => !COLUMNS.some((column) => column === name));
  const isComplete = REQUIRED.every((name) => head.includes(name)) && new Set(head).size === head.length;
  return unknown.length === 0 && isComplete ? null : expected;
}

interface Line {
  readonly line: number;
  readonly cells: readonly string[];
}

function faultsOf({ line, cells }: Line, head: readonly string[]): LineFault[] {
  if (cells.length !== head.length)
    return [{ line, column: null, message: `Has ${cells.length} cells, and the first line ${head.length}` }];
  return head.flatMap((column, nth) => {
    const message = faultOfCell(column, cells[nth] ?? '');
    return message === null ? [] : [{ line, column, message }];
  });
}

function faultOfCell(column: string, cell: string): string | null {
  if (FORMULA.test(cell)) return 'Begins with =, +, - or @, as a formula does';
  if (/[\r\n]/.test(cell)) return 'Has several lines';
  return cell === '' && column !== 'merchantWithdrawalId' ? 'Is empty' : null;
}

function toRow(line: number, cells: readonly string[], head: readonly string[]): FileRow {
  const cell = (column: (typeof COLUMNS)[number]) => cells[head.indexOf(column)] ?? '';
  const [currency, network, amount, address] = REQUIRED.map(cell) as [string, string, string, string];
  return { line, currency, network, amount, address, merchantWithdrawalId: cell('merchantWithdrawalId') || null };
}

/** What the gateway found, by the lines of the file: it names rows by their place from 0 (`rows.17.address`). */
export function byLine(faults: Readonly<Record<string, string>>, rows: readonly FileRow[]): LineFault[] {
  return Object.entries(faults).map(([path, message]) => {
    const [, nth, column = null] = /^rows\.(\d+)(?:\.(\w+))?$/.exec(path) ?? [];
    return { line: rows[Number(nth)]?.line ?? null, column, message };
  });
}
