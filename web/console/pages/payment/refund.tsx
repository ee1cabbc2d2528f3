// Refunds a payment: address and amount, then a confirmation with the password.

import { useState, type ReactNode } from 'react';
import { Form } from 'react-aria-components';
import { useMutation } from 'urql';
import { isZero, less } from '../../amounts.ts';
import { newOnceKey, onlyOnce } from '../../client.ts';
import { faultsOf } from '../../errors.ts';
import { networkName } from '../../networks.ts';
import { RefundPaymentDocument, type WholePaymentFragment } from '../../generated/operations.ts';
import { Amount } from '../../components/amount.tsx';
import { announce } from '../../components/announcer.tsx';
import { Button } from '../../components/forms/button.tsx';
import { Confirm } from '../../components/overlays/confirm.tsx';
import { Field } from '../../components/forms/field.tsx';
import { Sheet } from '../../components/overlays/sheet.tsx';

type Refundable = Pick<
  WholePaymentFragment,
  'id' | 'status' | 'currency' | 'network' | 'amountConfirmed' | 'amountRefunded'
>;

interface RefundProps {
  readonly payment: Refundable;
  readonly onChange: () => void;
  readonly title?: string;
  /** What there is to know before. */
  readonly children?: ReactNode;
}

interface Asked {
  readonly address: string;
  readonly amount: string;
  /** The idempotency key: sent again with the same key, the refund is paid once. */
  readonly key: string;
}

export function Refund({ payment, onChange, title = 'Refund', children }: RefundProps): ReactNode {
  const { id, status, currency, network, amountConfirmed, amountRefunded } = payment;
  const [asked, ask] = useState<Asked | null>(null);
  const [isOpen, setOpen] = useState(false);
  const [done, setDone] = useState<(Asked & { readonly left: string; readonly isWaiting: boolean }) | null>(null);
  const [{ error }, refund] = useMutation(RefundPaymentDocument);
  const left = less(amountConfirmed, amountRefunded);
  if (status === 'PENDING' || status === 'CONFIRMING' || isZero(left)) return null;
  const confirm = async () => {
    if (!asked) return {};
    const { key, ...what } = asked;
    const result = await refund({ input: { paymentId: id, ...what } }, onlyOnce(key));
    if (!result.error) {
      const isWaiting = result.data?.refundPayment.status === 'AWAITING_APPROVAL';
      setDone({ ...asked, left, isWaiting });
      announce(isWaiting ? 'The refund waits for an approval' : 'The refund is on its way');
      onChange();
    }
    return result;
  };
  return (
    <Sheet title={title}>
      {children}
      {done?.left === left && (
        <p role="status">
          <Amount value={done.amount} currency={currency} />{' '}
          {done.isWaiting ? 'goes, once somebody else approved it,' : 'is on its way'} to <code>{done.address}</code>.
          The payment shows it as refunded once the network has confirmed it.
        </p>
      )}
      <Form
        key={`${left}/${done?.key ?? ''}`}
        className="form narrow"
        validationErrors={faultsOf(error)}
        onSubmit={(event) => {
          event.preventDefault();
          const form = new FormData(event.currentTarget);
          const text = (name: string) => {
            const value = form.get(name);
            return typeof value === 'string' ? value.trim() : '';
          };
          ask({ address: text('address'), amount: text('amount'), key: newOnceKey() });
          setOpen(true);
        }}
      >
        <Field
          label={`Address on ${networkName(network)}`}
          name="address"
          autoComplete="off"
          spellCheck="false"
          hint="Ask the customer for it: the one they paid from may belong to an exchange."
          isRequired
        />
        <Field
          label={`Amount in ${currency}`}
          name="amount"
          inputMode="decimal"
          autoComplete="off"
          defaultValue={left}
          hint={`Up to ${left}, minus refunds in progress.`}
          isRequired
        />
        <div className="actions">
          <Button type="submit" look="quiet">
            Refund…
          </Button>
        </div>
      </Form>
      {asked && (
        <Confirm
          title={`Refund ${asked.amount} ${currency}?`}
          action="Refund"
          isDanger
          needsProof
          isOpen={isOpen}
          onClose={() => setOpen(false)}
          onConfirm={confirm}
        >
          <p>
            <strong>
              <Amount value={asked.amount} currency={currency} network={network} />
            </strong>{' '}
            goes from your balance to
          </p>
          <p>
            <code>{asked.address}</code>
          </p>
          <p>
            Once sent, a refund cannot be reversed. The payment fee is not returned. If this gateway charges a network
            fee, it is taken from your balance on top.
          </p>
        </Confirm>
      )}
    </Sheet>
  );
}
