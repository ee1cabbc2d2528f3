// A look at a payment beside the list: what it is and what happened. With j and k it goes on to the next.

import { useEffect, type ReactNode } from 'react';
import { useLocation } from 'wouter';
import { useQuery } from 'urql';
import { PaymentDocument } from '../../generated/operations.ts';
import { Button } from '../../components/forms/button.tsx';
import { LinkButton } from '../../components/forms/link-button.tsx';
import { Details } from '../../components/overlays/details.tsx';
import { Empty, Loading, Problem } from '../../components/states.tsx';
import { Facts, Summary } from '../payment/facts.tsx';
import { Timeline } from '../payment/timeline.tsx';
import '../../style/payment.css';

interface LookProps {
  readonly id: string;
  /** The ids of the list, in its order. */
  readonly listed: readonly string[];
  /** Looks at another, or (null) at the list again. */
  readonly onLook: (id: string | null) => void;
}

export default function Look({ id, listed, onLook }: LookProps): ReactNode {
  const [{ data, error }, reload] = useQuery({ query: PaymentDocument, variables: { id } });
  const [, navigate] = useLocation();
  const place = listed.indexOf(id);
  const [before, after] = [listed[place - 1] ?? null, place < 0 ? null : (listed[place + 1] ?? null)];
  useEffect(() => {
    const walk = ({ key, ctrlKey, metaKey, altKey, target }: KeyboardEvent) => {
      if (ctrlKey || metaKey || altKey) return;
      if (key === 'j' && after !== null) onLook(after);
      if (key === 'k' && before !== null) onLook(before);
      const isElsewhere = target instanceof Element && target.closest('a, button') !== null;
      if (key === 'Enter' && !isElsewhere) navigate(`/payments/${id}`);
    };
    addEventListener('keydown', walk);
    return () => removeEventListener('keydown', walk);
  }, [id, before, after, onLook, navigate]);
  const payment = data?.payment;
  const name = payment?.merchantOrderId ?? payment?.productName ?? `…${id.slice(-8)}`;
  return (
    <Details
      title={name}
      isOpen
      onClose={() => onLook(null)}
      actions={
        <>
          <Button look="quiet" isDisabled={before === null} onPress={() => onLook(before)}>
            Previous
          </Button>
          <Button look="quiet" isDisabled={after === null} onPress={() => onLook(after)}>
            Next
          </Button>
          <LinkButton href={`/payments/${id}`}>Open</LinkButton>
        </>
      }
    >
      {payment ? (
        <>
          <Summary payment={payment} />
          <section>
            <h3>What happened</h3>
            <Timeline payment={payment} />
          </section>
          <section>
            <h3>Details</h3>
            <Facts payment={payment} />
          </section>
        </>
      ) : error ? (
        <Problem error={error} onRetry={() => reload({ requestPolicy: 'network-only' })} />
      ) : data ? (
        <Empty title="This payment is not there any more." />
      ) : (
        <Loading lines={8} />
      )}
    </Details>
  );
}
