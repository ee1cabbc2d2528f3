// Secrets that the gateway shows only once: each with a copy button, under a warning, until the reader confirms that
// they are saved.

import type { ReactNode } from 'react';
import { Button } from './forms/button.tsx';
import { Copy } from './copy.tsx';
import { Popup } from './overlays/popup.tsx';

interface ShownOnceProps {
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  /** The secrets by their names, such as "Secret". */
  readonly values: readonly (readonly [name: string, value: string])[];
  /** What the secrets are for, and what happens to the previous ones. */
  readonly children: ReactNode;
}

export function ShownOnce({ title, isOpen, onClose, values, children }: ShownOnceProps): ReactNode {
  return (
    <Popup title={title} isOpen={isOpen} onClose={onClose} isDismissable={false}>
      <div className="form">
        <p className="notice" role="status">
          <strong>This is shown only once.</strong> Copy it now to a place that only your servers can read; it cannot be
          shown again.
        </p>
        <dl className="secrets">
          {values.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                <Copy value={value} label={name.toLowerCase()} />
              </dd>
            </div>
          ))}
        </dl>
        <div>{children}</div>
        <div className="actions">
          <Button onPress={onClose} autoFocus>
            I have saved it
          </Button>
        </div>
      </div>
    </Popup>
  );
}
