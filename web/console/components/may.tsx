// Shows something to those alone who may do it at this merchant: what one may not do is not shown.

import type { ReactNode } from 'react';
import type { MemberPermission } from '../generated/operations.ts';
import { useSession } from '../session.ts';

interface MayProps {
  /** What they must be able to do: all of it. */
  readonly permissions: readonly MemberPermission[];
  readonly children: ReactNode;
}

export function May({ permissions, children }: MayProps): ReactNode {
  const { may } = useSession();
  return permissions.every(may) ? children : null;
}
