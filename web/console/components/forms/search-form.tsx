// The filters above a list: a search field with its button, and what else narrows the list.

import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import type { Choices } from '../hooks/use-choices.ts';

interface SearchFormProps extends Choices {
  /** The search field's label. */
  readonly label: string;
  /** The other filters. */
  readonly children: ReactNode;
}

/** Searching sets the parameter `search`. */
export function SearchForm({ label, parameters, choose, children }: SearchFormProps): ReactNode {
  const searched = parameters.get('search') ?? '';
  return (
    <form
      role="search"
      className="filters"
      onSubmit={(event) => {
        event.preventDefault();
        const search = new FormData(event.currentTarget).get('search');
        choose('search', typeof search === 'string' ? search.trim() : '');
      }}
    >
      <div className="field wide">
        <label htmlFor="search">{label}</label>
        <div className="with-button">
          <input id="search" name="search" type="search" defaultValue={searched} key={searched} />
          <Button type="submit" look="quiet">
            Find
          </Button>
        </div>
      </div>
      {children}
    </form>
  );
}
