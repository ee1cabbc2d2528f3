// Changes the policy from the version that is shown, and tells the page how that went.

import type { OperationResult } from 'urql';
import { errorCodeOf } from '../../client.ts';
import {
  UpdatePayoutPolicyDocument,
  type PayoutPolicyInput,
  type UpdatePayoutPolicyMutation,
} from '../../generated/operations.ts';
import { announce } from '../../components/announcer.tsx';
import { useConfirmedMutation } from '../../components/forms/confirmation-question.tsx';

export interface PolicyChange {
  /** The version that the change is made from. */
  readonly version: number;
  /** Called when it is saved. */
  readonly onSaved: () => void;
  /** Called when somebody else changed the policy meanwhile: nothing is saved. */
  readonly onStale: () => void;
}

export function usePolicyChange({
  version,
  onSaved,
  onStale,
}: PolicyChange): (change: Omit<PayoutPolicyInput, 'version'>) => Promise<OperationResult<UpdatePayoutPolicyMutation>> {
  const [, update] = useConfirmedMutation(UpdatePayoutPolicyDocument);
  return async (change) => {
    const outcome = await update({ input: { version, ...change } });
    if (outcome.data) {
      onSaved();
      const isWaiting = outcome.data.updatePayoutPolicy.pendingFrom != null;
      announce(isWaiting ? 'Saved. Looser rules take effect later' : 'Saved. It is in effect now');
    } else if (errorCodeOf(outcome.error) === '4008') onStale();
    return outcome;
  };
}
