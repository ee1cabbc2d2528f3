// The two questions before a payout is approved or rejected.

import type { ReactNode } from 'react';
import { useMutation } from 'urql';
import { ApprovePayoutDocument, RejectPayoutDocument } from '../../generated/operations.ts';
import { announce } from '../../components/announcer.tsx';
import { useConfirmedMutation } from '../../components/forms/confirmation-question.tsx';
import { Field } from '../../components/forms/field.tsx';
import { textOf } from '../../components/forms/operation-form.tsx';
import { Confirm } from '../../components/overlays/confirm.tsx';
import { thingOf, type WaitingDecision } from '../../components/payouts/use-waiting-payouts.ts';
import { Who } from '../../components/payouts/who.tsx';
import { DecisionAmount, PayoutAmount } from './amount.tsx';

/** What waits, with the name in the book of addresses of a single payout; null if it has none. */
export interface Waiting {
  readonly decision: WaitingDecision;
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
  const thing = waiting ? thingOf(waiting.decision) : '';
  return (
    <Confirm
      title={`Approve this ${thing}?`}
      action={`Approve the ${thing}`}
      isOpen={waiting !== null}
      onClose={onClose}
      onConfirm={async () => {
        const outcome = await approve({ id: waiting?.decision.id ?? '' });
        onDecided();
        if (outcome.data) announce(`The ${thing} is on its way`);
        return outcome;
      }}
    >
      {waiting && <Payout waiting={waiting} />}
      <p>It is checked against the policy again, then sent. A transfer cannot be reversed.</p>
    </Confirm>
  );
}

export function Reject({ waiting, onClose, onDecided }: DecisionProps): ReactNode {
  const [, reject] = useMutation(RejectPayoutDocument);
  const thing = waiting ? thingOf(waiting.decision) : '';
  return (
    <Confirm
      title={`Reject this ${thing}?`}
      action={`Reject the ${thing}`}
      isDanger
      isOpen={waiting !== null}
      onClose={onClose}
      onConfirm={async (data) => {
        const outcome = await reject({ id: waiting?.decision.id ?? '', reason: textOf(data, 'reason') });
        onDecided();
        if (outcome.data) announce(`The ${thing} is rejected`);
        return outcome;
      }}
    >
      {waiting && <Payout waiting={waiting} />}
      <Field
        label="Reason"
        name="reason"
        maxLength={255}
        hint="Shown to the person who requested it."
        autoComplete="off"
        isRequired
        autoFocus
      />
    </Confirm>
  );
}

/** What is decided: the whole address, because its middle may be what somebody changed. */
function Payout({ waiting: { decision, label } }: { readonly waiting: Waiting }): ReactNode {
  const { first, payouts } = decision;
  return (
    <>
      <p>
        <strong>
          <DecisionAmount decision={decision} />
        </strong>
        {payouts.length === 1 && ','} requested by <Who id={first.requestedBy} isWithin />, to{' '}
        {label !== null && <strong>{label}</strong>}
      </p>
      {payouts.length === 1 ? (
        <p>
          <code className="address">{first.address}</code>
        </p>
      ) : (
        <Rows decision={decision} />
      )}
    </>
  );
}

/** Each withdrawal of a batch. */
function Rows({ decision: { payouts } }: { readonly decision: WaitingDecision }): ReactNode {
  return (
    <ul className="batch-rows" tabIndex={0} aria-label="Withdrawals of the batch">
      {payouts.map((payout) => (
        <li key={payout.id}>
          <PayoutAmount payout={payout} /> to <code>{payout.address}</code>
        </li>
      ))}
    </ul>
  );
}
