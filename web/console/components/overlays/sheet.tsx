// A section of a page on its own background, under a heading.

import { useId, type ReactNode } from 'react';

interface SheetProps {
  readonly title: string;
  /** Buttons or links next to the heading. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

export function Sheet({ title, actions, children }: SheetProps): ReactNode {
  const id = useId();
  return (
    <section className="sheet" aria-labelledby={id}>
      <div className="head">
        <h2 id={id}>{title}</h2>
        {actions}
      </div>
      {children}
    </section>
  );
}

/** A list of names and values, such as the details of a payment. */
export function Facts({
  rows,
}: {
  readonly rows: readonly (readonly [name: string, value: ReactNode] | null)[];
}): ReactNode {
  return (
    <dl className="facts">
      {rows
        .filter((row) => row !== null)
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}
