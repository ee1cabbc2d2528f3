// The way for those who requested a payout to take it back while it waits for an approval.

import { useState, type ReactNode } from 'react';
import { useMutation } from 'urql';
import { RejectPayoutDocument } from '../../generated/operations.ts';
import { announce } from '../announcer.tsx';
import { Button } from '../forms/button.tsx';
import { Confirm } from '../overlays/confirm.tsx';

/** The reason that is recorded. */
const TAKEN_BACK = 'canceled by the requester';

interface TakeBackProps {
  readonly id: string;
  /** What it is: "withdrawal", "refund", or a batch. */
  readonly thing: string;
  /** Whether it is one of a batch, which is canceled whole. */
  readonly isOfBatch?: boolean;
  readonly onChanged: () => void;
}

export function TakeBack({ id, thing, isOfBatch = false, onChanged }: TakeBackProps): ReactNode {
  const [, reject] = useMutation(RejectPayoutDocument);
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <span className="below">
        <Button look="link" aria-label={`Cancel it, the ${thing}`} onPress={() => setAsking(true)}>
          Cancel it
        </Button>
      </span>
      <Confirm
        title={`Cancel the ${thing}?`}
        action={`Cancel the ${thing}`}
        refusal="Keep it"
        isDanger
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={async () => {
          const outcome = await reject({ id, reason: TAKEN_BACK });
          onChanged();
          if (outcome.data) announce(`The ${thing} is canceled`);
          return outcome;
        }}
      >
        {isOfBatch && <p>It is part of a batch: all withdrawals of the batch are canceled.</p>}
        <p>Nothing is sent, and the reserved amount is available again immediately.</p>
      </Confirm>
    </>
  );
}
