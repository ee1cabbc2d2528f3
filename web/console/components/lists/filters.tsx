// What is above a list: its search, its filters, which a phone folds behind one button, and as chips those that are in
// force.

import { useId, useRef, useState, type ReactNode, type SubmitEvent } from 'react';
import { useLocation } from 'wouter';
import { inTab } from '../hooks/keeping.ts';
import { Button } from '../forms/button.tsx';
import type { Choices } from '../hooks/use-choices.ts';
import { Chips } from './chips.tsx';
import type { FilterInForce } from './in-force.ts';

interface FiltersProps extends Choices {
  /** The label of the search field, which sets the parameter `search`; without it nothing is searched. */
  readonly search?: string;
  readonly inForce: readonly FilterInForce[];
  /** The fields of the filters. */
  readonly children?: ReactNode;
}

export function Filters({ search, inForce, children, ...choices }: FiltersProps): ReactNode {
  const whole = useRef<HTMLDivElement>(null);
  const folded = inForce.filter(({ name }) => name !== 'search' || search === undefined).length;
  const fields = (
    <>
      {search !== undefined && <SearchField label={search} {...choices} />}
      {children && <Folded count={folded}>{children}</Folded>}
    </>
  );
  return (
    <div ref={whole} className="narrowing" role="group" aria-label="Filters" tabIndex={-1}>
      {search === undefined ? (
        <div className="filters">{fields}</div>
      ) : (
        <form role="search" className="filters" onSubmit={(event) => choices.choose('search', searchedIn(event))}>
          {fields}
        </form>
      )}
      {inForce.length > 0 && <Chips filters={inForce} {...choices} onNone={() => whole.current?.focus()} />}
    </div>
  );
}

function searchedIn(event: SubmitEvent<HTMLFormElement>): string {
  event.preventDefault();
  const search = new FormData(event.currentTarget).get('search');
  return typeof search === 'string' ? search.trim() : '';
}

function SearchField({ label, parameters }: { readonly label: string } & Choices): ReactNode {
  const searched = parameters.get('search') ?? '';
  return (
    <div className="field wide">
      <label htmlFor="search">{label}</label>
      <div className="with-button">
        <input id="search" name="search" type="search" defaultValue={searched} key={searched} />
        <Button type="submit" look="quiet">
          Find
        </Button>
      </div>
    </div>
  );
}

interface FoldedProps {
  /** How many of the filters are in force. */
  readonly count: number;
  readonly children: ReactNode;
}

/** Filters that a phone shows when they are asked for, and from then on as long as the browser's tab is open. */
function Folded({ count, children }: FoldedProps): ReactNode {
  const id = useId();
  const [location] = useLocation();
  const place = `turnpike/filters-open${location}`;
  const [isOpen, setOpen] = useState(() => inTab.read(place) !== null);
  const turn = () => {
    if (isOpen) inTab.drop(place);
    else inTab.keep(place, 'yes');
    setOpen(!isOpen);
  };
  return (
    <>
      <button type="button" className="button quiet fold" aria-expanded={isOpen} aria-controls={id} onClick={turn}>
        Filters{count > 0 && ` (${String(count)})`}
      </button>
      <div id={id} className={isOpen ? 'fields' : 'fields folded'}>
        {children}
      </div>
    </>
  );
}
