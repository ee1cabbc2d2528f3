// Disables a payment link, after a question, and enables it again.

import { useState, type ReactNode } from 'react';
import { useMutation } from 'urql';
import { messageOf } from '../../errors.ts';
import { UpdatePaymentLinkDocument, type PaymentLinkRowFragment } from '../../generated/operations.ts';
import { announce } from '../../components/announcer.tsx';
import { Confirm } from '../../components/overlays/confirm.tsx';
import { told } from '../payment/actions.tsx';

interface Switch {
  readonly onSwitch: (link: PaymentLinkRowFragment) => void;
  /** The question, to be put into the page. */
  readonly question: ReactNode;
}

export function useSwitch(onDone: () => void): Switch {
  const [asked, ask] = useState<PaymentLinkRowFragment | null>(null);
  const [, update] = useMutation(UpdatePaymentLinkDocument);
  const enable = async ({ id }: PaymentLinkRowFragment) => {
    const { error } = await update({ id, input: { enabled: true } });
    announce(error ? messageOf(error) : 'The link is enabled');
    onDone();
  };
  const question = (
    <Confirm
      title="Disable this payment link?"
      action="Disable it"
      refusal="Leave it enabled"
      isDanger
      isOpen={asked !== null}
      onClose={() => ask(null)}
      onConfirm={() =>
        update({ id: asked?.id ?? '', input: { enabled: false } }).then(told('The link is disabled', onDone))
      }
    >
      <p>
        The page of <strong>{asked?.name}</strong> will say that it is closed. Customers who already chose a coin can
        still pay. You can enable it again at any time.
      </p>
    </Confirm>
  );
  return { onSwitch: (link) => (link.enabled ? ask(link) : void enable(link)), question };
}
