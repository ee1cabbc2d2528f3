// What surrounds the pages of the console, and those of operators, besides the navigation.

import { Suspense, type ReactNode } from 'react';
import { Router } from 'wouter';
import { Announcer } from '../announcer.tsx';
import { ConfirmationQuestion } from '../forms/confirmation-question.tsx';

interface FrameProps {
  /** The path that all pages are below: `/console`. */
  readonly base: string;
  readonly navigation: ReactNode;
  /** The page that the URL names. */
  readonly children: ReactNode;
}

export function Frame({ base, navigation, children }: FrameProps): ReactNode {
  return (
    <ConfirmationQuestion>
      <Router base={base}>
        <a className="skip" href="#page">
          Skip to the page
        </a>
        <div className="frame">
          {navigation}
          <Suspense
            fallback={
              <p className="unseen" role="status">
                Loading
              </p>
            }
          >
            {children}
          </Suspense>
        </div>
        <Announcer />
      </Router>
    </ConfirmationQuestion>
  );
}
