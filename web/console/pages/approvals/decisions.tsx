// The two questions before a payout is approved or rejected.

import type { ReactNode } from 'react';
import { useMutation } from 'urql';
import { ApprovePayoutDocument, RejectPayoutDocument } from '../../generated/operations.ts';
import { announce } from '../../components/announcer.tsx';
import { useConfirmedMutation } from '../../components/forms/confirmation-question.tsx';
import { Field } from '../../components/forms/field.tsx';
import { textOf } from '../../components/forms/operation-form.tsx';
import { Confirm } from '../../components/overlays/confirm.tsx';
import { thingOf, type WaitingPayout } from '../../components/payouts/use-waiting-payouts.ts';
import { Who } from '../../components/payouts/who.tsx';
import { PayoutAmount } from './amount.tsx';

/** A payout that waits, with its name in the book of addresses; null if it has none. */
export interface Waiting {
  readonly payout: WaitingPayout;
  readonly label: string | null;
}

interface DecisionProps {
  /** What is to be decided; null if nothing is asked. */
  readonly waiting: Waiting | null;
  readonly onClose: () => void;
  /** Called after each try: where it is refused, somebody else may have decided. */
  readonly onDecided: () => void;
}

export function Approve({ waiting, onClose, onDecided }: DecisionProps): ReactNode {
  const [, approve] = useConfirmedMutation(ApprovePayoutDocument);
  const thing = waiting ? thingOf(waiting.payout) : '';
  return (
    <Confirm
      title={`Approve this ${thing}?`}
      action={`Approve the ${thing}`}
      isOpen={waiting !== null}
      onClose={onClose}
      onConfirm={async () => {
        const outcome = await approve({ id: waiting?.payout.id ?? '' });
        onDecided();
        if (outcome.data) announce(`The ${thing} is on its way`);
        return outcome;
      }}
    >
      {waiting && <Payout waiting={waiting} />}
      <p>It is judged by the policy once more, and then sent. A transfer cannot be reversed.</p>
    </Confirm>
  );
}

export function Reject({ waiting, onClose, onDecided }: DecisionProps): ReactNode {
  const [, reject] = useMutation(RejectPayoutDocument);
  const thing = waiting ? thingOf(waiting.payout) : '';
  return (
    <Confirm
      title={`Reject this ${thing}?`}
      action={`Reject the ${thing}`}
      isDanger
      isOpen={waiting !== null}
      onClose={onClose}
      onConfirm={async (data) => {
        const outcome = await reject({ id: waiting?.payout.id ?? '', reason: textOf(data, 'reason') });
        onDecided();
        if (outcome.data) announce(`The ${thing} is rejected`);
        return outcome;
      }}
    >
      {waiting && <Payout waiting={waiting} />}
      <Field
        label="Why"
        name="reason"
        maxLength={255}
        hint="The one who requested it sees this."
        autoComplete="off"
        isRequired
        autoFocus
      />
    </Confirm>
  );
}

/** What is decided: the whole address, because its middle may be what somebody changed. */
function Payout({ waiting: { payout, label } }: { readonly waiting: Waiting }): ReactNode {
  return (
    <>
      <p>
        <strong>
          <PayoutAmount payout={payout} />
        </strong>
        , requested by <Who id={payout.requestedBy} isWithin />, to {label !== null && <strong>{label}</strong>}
      </p>
      <p>
        <code className="address">{payout.address}</code>
      </p>
    </>
  );
}
