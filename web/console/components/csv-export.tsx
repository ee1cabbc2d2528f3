// A button that saves all pages of a list as a CSV file.

import { useState, type ReactNode } from 'react';
import { useClient, type AnyVariables, type TypedDocumentNode } from 'urql';
import { toCsv } from '../../../src/values/formats/csv.ts';
import { download } from '../download.ts';
import { messageOf } from '../errors.ts';
import { announce } from './announcer.tsx';
import { Button } from './forms/button.tsx';
import type { Connection } from './lists/contiguous.ts';

interface CsvExportProps<Data, Variables, Row> {
  /** The button's label. */
  readonly action: string;
  /** What is saved, for the announcement and the file's name: `payment`, `payments`. */
  readonly named: readonly [one: string, several: string];
  /** Takes `after` in addition to `variables`. */
  readonly query: TypedDocumentNode<Data, Variables>;
  readonly variables: Omit<Variables, 'after'>;
  readonly read: (data: Data) => Connection<Row>;
  readonly columns: readonly string[];
}

export function CsvExport<Data, Variables extends AnyVariables, Row extends object>(
  props: CsvExportProps<Data, Variables, Row>,
): ReactNode {
  const { action, named, query, read, columns } = props;
  const client = useClient();
  const [isBusy, setBusy] = useState(false);
  const save = async () => {
    setBusy(true);
    const rows: Row[] = [];
    for (let after: string | null = null; ;) {
      const variables = { ...props.variables, after } as unknown as Variables;
      const { data, error } = await client.query<Data, Variables>(query, variables, { requestPolicy: 'network-only' });
      if (!data) {
        announce(error ? messageOf(error) : 'The export failed.');
        break;
      }
      const { nodes, pageInfo } = read(data);
      rows.push(...nodes);
      after = pageInfo.endCursor ?? null;
      if (pageInfo.hasNextPage) continue;
      const name = `${named[1]}-${new Date().toISOString().slice(0, 10)}.csv`;
      download(name, toCsv(columns, rows as readonly Record<string, unknown>[]), 'text/csv;charset=utf-8');
      announce(`Saved ${String(rows.length)} ${rows.length === 1 ? named[0] : named[1]} as CSV`);
      break;
    }
    setBusy(false);
  };
  return (
    <Button look="quiet" isPending={isBusy} onPress={() => void save()}>
      {action}
    </Button>
  );
}
