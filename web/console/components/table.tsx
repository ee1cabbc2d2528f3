// A table that becomes a list of cards on a phone. Long lists continue with "Load more".

import type { ReactNode } from 'react';
import { Button } from './forms/button.tsx';

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => ReactNode;
  /** Amounts and counts stand at the right, under each other. */
  readonly isNumber?: boolean;
  /** The column is named for screen readers only, as one of buttons. */
  readonly isUntitled?: boolean;
}

interface TableProps<Row> {
  /** What is listed, for screen readers. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  /** Given where there is more. */
  readonly onMore?: (() => void) | undefined;
  readonly isLoadingMore?: boolean;
}

/** Roles are written out: a browser forgets them where the style makes cards of a table. */
export function Table<Row>({ label, columns, rows, keyOf, onMore, isLoadingMore = false }: TableProps<Row>): ReactNode {
  return (
    <>
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
    </>
  );
}
