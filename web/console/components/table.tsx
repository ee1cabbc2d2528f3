// A table that becomes a list of cards where it has no room, such as on a phone. Long lists continue with "Load more".

import type { ReactNode } from 'react';
import { Button } from './forms/button.tsx';

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => ReactNode;
  /** Amounts and counts are right-aligned. */
  readonly isNumber?: boolean;
  /** The title is for screen readers only, as for a column of buttons. */
  readonly isUntitled?: boolean;
}

interface TableProps<Row> {
  /** The table's name for screen readers. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  /** Loads more rows; undefined if there are no more. */
  readonly onMore?: (() => void) | undefined;
  readonly isLoadingMore?: boolean;
}

/** With more columns than this, a table needs the width of a desktop. */
const FEW_COLUMNS = 4;

/** The roles are explicit: browsers drop the implicit ones when the style sheet turns the table into cards. */
export function Table<Row>(props: TableProps<Row>): ReactNode {
  const { label, columns, rows, keyOf, onMore, isLoadingMore = false } = props;
  return (
    <div className={columns.length > FEW_COLUMNS ? 'rows wide' : 'rows'}>
      <table className="table" role="table" aria-label={label}>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map(({ title, isNumber, isUntitled }) => (
              <th key={title} role="columnheader" scope="col" className={isNumber ? 'number' : undefined}>
                {isUntitled ? <span className="unseen">{title}</span> : title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row) => (
            <tr key={keyOf(row)} role="row">
              {columns.map(({ title, cell, isNumber, isUntitled }) => (
                <td
                  key={title}
                  role="cell"
                  className={isNumber ? 'number' : undefined}
                  data-title={isUntitled ? undefined : title}
                >
                  {cell(row)}
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
