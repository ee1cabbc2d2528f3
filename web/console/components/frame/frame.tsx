// What surrounds the pages of the console, and those of operators.

import { Suspense, type ReactNode } from 'react';
import { Router } from 'wouter';
import { Announcer } from '../announcer.tsx';
import { ConfirmationQuestion } from '../forms/confirmation-question.tsx';
import { Navigation, Shortcuts, type NavigationGroup } from './navigation.tsx';
import { TopBar, type Account } from './top-bar.tsx';

interface FrameProps {
  /** The path that all pages are below: `/console`. */
  readonly base: string;
  /** The navigation's name for screen readers. */
  readonly label: string;
  /** Whose pages these are, such as the merchant's name. */
  readonly who: string;
  /** What those who are signed in are there. */
  readonly role: string;
  readonly groups: readonly NavigationGroup[];
  /** The paths of the links that are at the bottom of a phone; the first four that there are. */
  readonly shortcuts: readonly string[];
  readonly account: Account;
  /** At the left of the top bar; nothing where nothing can be searched. */
  readonly search?: ReactNode;
  /** The page that the URL names. */
  readonly children: ReactNode;
}

export function Frame({ base, label, who, role, groups, shortcuts, account, search, children }: FrameProps): ReactNode {
  return (
    <ConfirmationQuestion>
      <Router base={base}>
        <a className="skip" href="#page">
          Skip to the page
        </a>
        <div className="frame">
          <TopBar {...{ who, account, search }} />
          <Navigation {...{ label, who, role, groups }} />
          <Suspense
            fallback={
              <p className="unseen" role="status">
                Loading
              </p>
            }
          >
            {children}
          </Suspense>
          <Shortcuts groups={groups} paths={shortcuts} />
        </div>
        <Announcer />
      </Router>
    </ConfirmationQuestion>
  );
}
