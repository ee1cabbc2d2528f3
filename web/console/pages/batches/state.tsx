// Where a batch stands, with how many of its withdrawals were paid or have failed.

import type { ReactNode } from 'react';
import type { BatchRowFragment } from '../../generated/operations.ts';
import { Status } from '../../components/badge.tsx';

/** While a batch is under way. */
export const LOOK_EVERY_MS = 10_000;

export const isOpen = ({ status }: Pick<BatchRowFragment, 'status'>): boolean =>
  status === 'AWAITING_APPROVAL' || status === 'PROCESSING';

/** What the merchant calls it. */
export const nameOf = ({ id, label }: Pick<BatchRowFragment, 'id' | 'label'>): string => label ?? id;

export function BatchState({ batch }: { readonly batch: BatchRowFragment }): ReactNode {
  const { status, rows, completed, failed } = batch;
  return (
    <span>
      <Status status={status === 'PROCESSING' ? 'BATCH_PROCESSING' : status} />
      {(status === 'PROCESSING' || status === 'FINISHED') && (
        <span className="quietly below">
          {completed} of {rows} paid{failed > 0 && `, ${failed} failed`}
        </span>
      )}
    </span>
  );
}
