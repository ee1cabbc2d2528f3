// The filters that are in force, as chips: each is a button that removes it.

import type { MouseEvent, ReactNode } from 'react';
import type { Choices } from '../hooks/use-choices.ts';
import type { FilterInForce } from './in-force.ts';

interface ChipsProps extends Pick<Choices, 'clear'> {
  readonly filters: readonly FilterInForce[];
  /** The last one is removed: the focus is to go elsewhere. */
  readonly onNone: () => void;
}

export function Chips({ filters, clear, onNone }: ChipsProps): ReactNode {
  const remove = ({ currentTarget }: MouseEvent<HTMLElement>, name: string) => {
    const item = currentTarget.closest('li');
    const beside = filters.length > 1 ? (item?.nextElementSibling ?? item?.previousElementSibling) : null;
    beside?.querySelector('button')?.focus();
    clear([name]);
    if (filters.length === 1) onNone();
  };
  return (
    <ul className="chips" aria-label="Filters in force">
      {filters.map(({ name, words }) => (
        <li key={name}>
          <button type="button" className="chip" onClick={(event) => remove(event, name)}>
            <span className="unseen">Remove filter </span>
            <span className="words">{words}</span>
            <svg className="icon" viewBox="0 0 20 20" aria-hidden="true">
              <path d="M6 6l8 8M14 6l-8 8" />
            </svg>
          </button>
        </li>
      ))}
      <li>
        <button
          type="button"
          className="button link"
          onClick={() => {
            clear(filters.map(({ name }) => name));
            onNone();
          }}
        >
          Clear all
        </button>
      </li>
    </ul>
  );
}
