// What lists that are searched have in common, such as payments and invoices: what is shown without rows, and what a
// text finds.

import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useQuery } from 'urql';
import { SearchDocument, type SearchQuery } from '../../generated/operations.ts';
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

/** A search finds no more at once. */
export const MOST_FOUND = 50;

type Result = SearchQuery['search'];

interface FoundProps<Row> {
  readonly text: string;
  /** What the rows are, such as "payments". */
  readonly things: string;
  readonly read: (found: Result) => readonly Row[];
  /** What finds one, as a sentence. */
  readonly ways: string;
  readonly table: (rows: readonly Row[], again: () => void) => ReactNode;
  /** Where what else was found is: nothing where the search found none of it. */
  readonly others: (found: Result) => readonly (readonly [words: string, path: string])[];
}

/** What the search of every page finds of one kind by a text: the newest, and a word on what else there is. */
export function Found<Row>({ text, things, read, ways, table, others }: FoundProps<Row>): ReactNode {
  const variables = { text, first: MOST_FOUND };
  const [{ data, error, fetching }, reload] = useQuery({ query: SearchDocument, variables });
  const again = () => reload({ requestPolicy: 'network-only' });
  if (error) return <Problem error={error} onRetry={again} />;
  if (!data || fetching) return <Loading lines={6} />;
  const rows = read(data.search);
  return (
    <>
      {rows.length === 0 ? <Empty title={`No ${things} match.`}>{ways}</Empty> : table(rows, again)}
      {rows.length === MOST_FOUND && (
        <p className="hint">These are {MOST_FOUND} of them, as many as are found at once: write more of it.</p>
      )}
      {others(data.search).map(([words, path]) => (
        <p key={path} className="hint">
          <Link href={`${path}?search=${encodeURIComponent(text)}`}>{words}</Link> match, too.
        </p>
      ))}
    </>
  );
}
