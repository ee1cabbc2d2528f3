// Which columns of a table are shown: somebody's own choice, kept in this browser, and the menu in which they make it.

import { useContext, useId, useState, type ReactNode, type ToggleEvent } from 'react';
import { inBrowser } from '../hooks/keeping.ts';
import { SessionContext } from '../../session.ts';

/** What can be chosen of a column. */
export interface ChoosableColumn {
  readonly title: string;
  /** It is always shown, as what names the row is. */
  readonly isFixed?: boolean;
  /** It is shown only to those who choose it. */
  readonly isExtra?: boolean;
}

/** What differs from what is shown at first, by the titles of the columns. */
type Choice = Readonly<Record<string, boolean>>;

export interface ColumnChoice {
  readonly isShown: (column: ChoosableColumn) => boolean;
  readonly choose: (title: string, isShown: boolean) => void;
  /** Back to what is shown at first; nothing where that is shown. */
  readonly reset: (() => void) | undefined;
}

/** A browser that was given something else keeps no choice. */
function read(place: string): Choice {
  try {
    const found: unknown = JSON.parse(inBrowser.read(place) ?? '{}');
    if (typeof found !== 'object' || found === null) return {};
    return Object.fromEntries(Object.entries(found).filter(([, isShown]) => typeof isShown === 'boolean'));
  } catch {
    return {};
  }
}

/** The choice of the person who is signed in, for a list by its name; without a name nothing is chosen. */
export function useColumnChoice(list: string | undefined): ColumnChoice {
  const person = useContext(SessionContext)?.person.id ?? '';
  const place = `turnpike/columns/${person}/${list ?? ''}`;
  const [chosen, setChosen] = useState<Choice>(() => (list === undefined ? {} : read(place)));
  const keep = (next: Choice) => {
    inBrowser.keep(place, JSON.stringify(next));
    setChosen(next);
  };
  return {
    isShown: ({ title, isFixed = false, isExtra = false }) => isFixed || (chosen[title] ?? !isExtra),
    choose: (title, isShown) => keep({ ...chosen, [title]: isShown }),
    reset: Object.keys(chosen).length > 0 ? () => keep({}) : undefined,
  };
}

interface ColumnMenuProps {
  readonly columns: readonly ChoosableColumn[];
  readonly choice: ColumnChoice;
}

/** A menu at the head of the table. On a phone, where there are no columns, it is not there either. */
export function ColumnMenu({ columns, choice }: ColumnMenuProps): ReactNode {
  const id = useId();
  // Its labels are words of the page: they are in it only while they are seen.
  const [isOpen, setOpen] = useState(false);
  const begin = ({ newState, currentTarget }: ToggleEvent<HTMLElement>) => {
    if (newState !== 'open') return;
    placeBelow(currentTarget);
    setOpen(true);
  };
  // Afterwards: the browser gives the focus back only if it is still in the menu.
  const end = ({ newState }: ToggleEvent<HTMLElement>) => {
    if (newState === 'closed') setOpen(false);
  };
  return (
    <div className="column-choice">
      <button type="button" popoverTarget={id} aria-label="Columns" title="Columns">
        <svg className="icon" viewBox="0 0 20 20" aria-hidden="true">
          <path d="M3 4h14v12H3zM7.7 4v12M12.3 4v12" />
        </svg>
      </button>
      <div
        id={id}
        className="menu"
        popover="auto"
        role="group"
        aria-label="Columns"
        onBeforeToggle={begin}
        onToggle={end}
      >
        {isOpen && <Choices {...{ columns, choice }} />}
      </div>
    </div>
  );
}

function Choices({ columns, choice: { isShown, choose, reset } }: ColumnMenuProps): ReactNode {
  return (
    <ul>
      {columns.map((column) => (
        <li key={column.title}>
          <label>
            <input
              type="checkbox"
              checked={isShown(column)}
              disabled={column.isFixed}
              onChange={({ currentTarget }) => choose(column.title, currentTarget.checked)}
            />
            {column.title}
          </label>
        </li>
      ))}
      <li>
        <button type="button" disabled={reset === undefined} onClick={reset}>
          Reset columns
        </button>
      </li>
    </ul>
  );
}

const GAP_PX = 4;

/** Below its button, at the end; it moves with the page. */
function placeBelow(menu: HTMLElement): void {
  const button = menu.previousElementSibling?.getBoundingClientRect();
  if (!button) return;
  menu.style.top = `${String(button.bottom + scrollY + GAP_PX)}px`;
  menu.style.right = `${String(document.documentElement.clientWidth - button.right)}px`;
}
