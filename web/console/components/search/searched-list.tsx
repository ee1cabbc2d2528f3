// What lists that are searched have in common, such as payments and invoices: what is shown without rows, and the one
// that an id names.

import type { ReactNode } from 'react';
import { useQuery, type TypedDocumentNode } from 'urql';
import { errorCodeOf } from '../../client.ts';
import { LinkButton } from '../forms/link-button.tsx';
import type { Pages } from '../hooks/use-pages.ts';
import { Empty, Loading, Problem } from '../states.tsx';

interface ListedProps<Row> {
  readonly pages: Pages<Row>;
  /** What the rows are, such as "payments". */
  readonly things: string;
  /** Whether filters leave some out. */
  readonly isNarrowed: boolean;
  /** Where the first one is made. */
  readonly newHref: string;
  readonly table: (rows: readonly Row[]) => ReactNode;
}

export function Listed<Row>({ pages, things, isNarrowed, newHref, table }: ListedProps<Row>): ReactNode {
  const { nodes, error, refresh } = pages;
  if (!nodes) return error ? <Problem error={error} onRetry={refresh} /> : <Loading lines={6} />;
  if (nodes.length === 0)
    return isNarrowed ? (
      <Empty title={`No ${things} match.`}>Change or remove a filter to see others.</Empty>
    ) : (
      <Empty title={`No ${things} yet.`}>
        <LinkButton href={newHref}>Create the first one</LinkButton>
      </Empty>
    );
  return (
    <>
      {error && <Problem error={error} />}
      {table(nodes)}
    </>
  );
}

interface FoundProps<Data, Row> {
  readonly query: TypedDocumentNode<Data, { id: string }>;
  readonly id: string;
  readonly read: (data: Data) => Row | null | undefined;
  /** What it is, such as "payment". */
  readonly thing: string;
  readonly table: (rows: readonly Row[]) => ReactNode;
}

export function Found<Data, Row>({ query, id, read, thing, table }: FoundProps<Data, Row>): ReactNode {
  const [{ data, error, fetching }, reload] = useQuery({ query, variables: { id } });
  const row = data && read(data);
  if (row) return table([row]);
  if (fetching) return <Loading />;
  if (error && errorCodeOf(error) !== '2004')
    return <Problem error={error} onRetry={() => reload({ requestPolicy: 'network-only' })} />;
  return <Empty title={`No ${thing} with this ID.`}>Check the ID and try again.</Empty>;
}
