// A table that becomes a list of two lines a row where it has no room, such as on a phone. Long lists continue with
// "Load more".

import { Fragment, type MouseEvent, type ReactNode } from 'react';
import { Aligned, Amount, type AmountOf } from './amount.tsx';
import { Button } from './forms/button.tsx';
import { ColumnMenu, useColumnChoice, type ChoosableColumn } from './lists/column-choice.tsx';

/** Where a cell is on a phone: at the start or the end of the first line or of the second, or nowhere. */
type Place = 'first' | 'first-end' | 'second' | 'second-end' | 'off';

export interface Column<Row> extends ChoosableColumn {
  readonly cell: (row: Row) => ReactNode;
  /** Amounts and counts are right-aligned. */
  readonly isNumber?: boolean;
  /** The title is for screen readers only, as for a column of buttons. */
  readonly isUntitled?: boolean;
  /** The amount of a row, where the cells are amounts: their decimal points are below each other. */
  readonly amountOf?: (row: Row) => AmountOf;
  /**
   * Where it is on a phone. A column that does not say is in the second line, with its title; in a table whose columns
   * say nothing, the first one and the first of numbers are the first line.
   */
  readonly phone?: Place;
}

/** A column of amounts. */
export const amountColumn = <Row,>(title: string, of: (row: Row) => AmountOf, phone?: Place): Column<Row> => ({
  title,
  isNumber: true,
  amountOf: of,
  cell: (row) => {
    const [value, currency] = of(row);
    return <Amount value={value} currency={currency} />;
  },
  ...(phone && { phone }),
});

interface TableProps<Row> {
  /** The table's name for screen readers. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  /** Loads more rows; undefined if there are no more. */
  readonly onMore?: (() => void) | undefined;
  readonly isLoadingMore?: boolean;
  /** What a press on a row does, besides its links and buttons: those without a mouse have a button for it. */
  readonly onRow?: ((row: Row) => void) | undefined;
  /** The keys of the rows that stand out. */
  readonly marked?: ReadonlySet<string>;
  /** The name by which the choice of its columns is kept; without it they cannot be chosen. */
  readonly choiceOf?: string;
}

/** With more columns than this, a table needs the width of a desktop. */
const FEW_COLUMNS = 4;

/** The roles are explicit: browsers drop the implicit ones when the style sheet turns the table into a list. */
export function Table<Row>(props: TableProps<Row>): ReactNode {
  const { label, columns, rows, keyOf, onMore, isLoadingMore = false, onRow, marked, choiceOf } = props;
  const choice = useColumnChoice(choiceOf);
  const placed = columns.map((column) => placedIn(columns, column, rows, choice.isShown(column)));
  const isWide = columns.filter(({ isExtra }) => !isExtra).length > FEW_COLUMNS;
  return (
    <div className={isWide ? 'rows wide' : 'rows'}>
      {choiceOf !== undefined && (
        <ColumnMenu columns={columns.filter(({ isUntitled }) => !isUntitled)} choice={choice} />
      )}
      <table className="table" role="table" aria-label={label}>
        <thead role="rowgroup">
          <tr role="row">
            {placed.map(({ title, isUntitled, headClass }) => (
              <th key={title} role="columnheader" scope="col" className={headClass}>
                {isUntitled ? <span className="unseen">{title}</span> : title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row) => (
            <tr
              key={keyOf(row)}
              role="row"
              className={marked?.has(keyOf(row)) ? 'marked' : undefined}
              {...(onRow && { onClick: (event) => isOnGround(event) && onRow(row), 'data-press': '' })}
            >
              {placed.map(({ title, shownTitle, cellClass, cell, wrap }) => (
                <td key={title} role="cell" className={cellClass} data-title={shownTitle}>
                  {wrap(cell(row))}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {onMore && (
        <p className="more">
          <Button look="quiet" isPending={isLoadingMore} onPress={onMore}>
            Load more
          </Button>
        </p>
      )}
    </div>
  );
}

/** Whether a press meant the row: nothing in it that can be pressed itself, and no text that is being selected. */
function isOnGround({ target }: MouseEvent): boolean {
  const isPressable = target instanceof Element && target.closest('a, button, input, label, summary') !== null;
  return !isPressable && String(getSelection()) === '';
}

/** A column, and how its cells are drawn. */
function placedIn<Row>(columns: readonly Column<Row>[], column: Column<Row>, rows: readonly Row[], isShown: boolean) {
  const { isNumber = false, isUntitled = false, amountOf, title } = column;
  const place = column.phone ?? placeOf(columns, column);
  const amounts = amountOf && rows.map(amountOf);
  // A phone's list is not chosen, and has it all the same.
  const further = `${isNumber ? ' number' : ''}${isShown ? '' : ' left-out'}`;
  return {
    ...column,
    headClass: further === '' ? undefined : further.trim(),
    cellClass: `${place}${further}`,
    shownTitle: place === 'second' && column.phone === undefined && !isUntitled ? title : undefined,
    wrap: (cell: ReactNode) => (amounts ? <Aligned amounts={amounts}>{cell}</Aligned> : <Fragment>{cell}</Fragment>),
  };
}

/** The place of a column that says none. */
function placeOf<Row>(columns: readonly Column<Row>[], column: Column<Row>): Place {
  if (column.isUntitled === true) return 'second-end';
  if (columns.some(({ phone }) => phone !== undefined)) return 'second';
  if (column === columns[0]) return 'first';
  return column === columns.slice(1).find(({ isNumber }) => isNumber) ? 'first-end' : 'second';
}
