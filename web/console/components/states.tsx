// Shown in place of a page's content: loading, empty, or failed.

import type { ReactNode } from 'react';
import type { CombinedError } from 'urql';
import { Fault } from './forms/fault.tsx';
import { Button } from './forms/button.tsx';

/** A skeleton of grey lines in place of the content; screen readers hear "Loading" once. */
export function Loading({ lines = 3 }: { readonly lines?: number }): ReactNode {
  return (
    <div className="skeleton" role="status">
      <span className="unseen">Loading</span>
      {Array.from({ length: lines }, (_, line) => (
        <span key={line} aria-hidden="true" />
      ))}
    </div>
  );
}

interface EmptyProps {
  /** What is missing, as a sentence: "No keys yet." */
  readonly title: string;
  /** What to do about it, or when content will appear. */
  readonly children?: ReactNode;
}

export function Empty({ title, children }: EmptyProps): ReactNode {
  return (
    <div className="empty">
      <p>
        <strong>{title}</strong>
      </p>
      {children}
    </div>
  );
}

interface ProblemProps {
  readonly error: CombinedError;
  readonly onRetry?: () => void;
}

export function Problem({ error, onRetry }: ProblemProps): ReactNode {
  return (
    <div className="problem" role="alert">
      <p>
        <Fault error={error} />
      </p>
      {onRetry && (
        <Button look="quiet" onPress={onRetry}>
          Try again
        </Button>
      )}
    </div>
  );
}
