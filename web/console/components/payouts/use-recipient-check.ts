// Asks the gateway about an address before anybody confirms a payout to it: a slip is told in the form.

import { useCallback } from 'react';
import { useClient, type CombinedError } from 'urql';
import { PayoutRecipientDocument } from '../../generated/operations.ts';

/** Resolves to what is wrong with an address on a network; undefined where a payout may go there. */
export type RecipientCheck = (network: string, address: string) => Promise<CombinedError | undefined>;

export function useRecipientCheck(): RecipientCheck {
  const client = useClient();
  return useCallback(
    async (network, address) => {
      const asked = client.query(PayoutRecipientDocument, { network, address }, { requestPolicy: 'network-only' });
      return (await asked.toPromise()).error;
    },
    [client],
  );
}
