// What came of an action that may have to be approved.

import type { ActionStatus } from '../generated/operations.ts';

/** The sentence for an action that was requested: `done` once it is done. */
export const saysWhatHappened = ({ status }: { readonly status: ActionStatus }, done: string): string =>
  status === 'PENDING' ? 'Waiting for another operator' : done;
