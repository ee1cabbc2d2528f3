// What is done with several payments at once: cancel those that still can be, send their last webhooks again, or save
// them.

import { useState, type ReactNode } from 'react';
import { useClient, useMutation } from 'urql';
import { toCsv } from '../../../../src/values/formats/csv.ts';
import { download } from '../../download.ts';
import {
  CancelPaymentDocument,
  LastDeliveryDocument,
  ResendEventDocument,
  type PaymentRowFragment,
} from '../../generated/operations.ts';
import { announce } from '../../components/announcer.tsx';
import { Button } from '../../components/forms/button.tsx';
import { useConfirmedMutation } from '../../components/forms/confirmation-question.tsx';
import { May } from '../../components/may.tsx';
import { Confirm } from '../../components/overlays/confirm.tsx';

interface BulkProps {
  readonly rows: readonly PaymentRowFragment[];
  readonly onClear: () => void;
  readonly onChange: () => void;
}

const COLUMNS = [
  ...['id', 'merchantOrderId', 'productName', 'status', 'exception', 'currency', 'network', 'amount', 'amountReceived'],
  'createdAt',
];

const payments = (count: number) => `${String(count)} ${count === 1 ? 'payment' : 'payments'}`;

export function Bulk({ rows, onClear, onChange }: BulkProps): ReactNode {
  const [isAsked, ask] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [, cancel] = useMutation(CancelPaymentDocument);
  const resend = useResend();
  const cancelable = rows.filter(({ status }) => status === 'PENDING');
  const cancelAll = async () => {
    let done = 0;
    for (const { id } of cancelable) if (!(await cancel({ id })).error) done += 1;
    const rest = cancelable.length - done;
    announce(`${payments(done)} canceled${rest > 0 ? `; ${String(rest)} had changed meanwhile` : ''}`);
    onClear();
    onChange();
    return {};
  };
  const resendAll = async () => {
    setBusy(true);
    let done = 0;
    for (const { id } of rows) if (await resend(id)) done += 1;
    setBusy(false);
    const rest = rows.length - done;
    announce(
      `Webhooks of ${payments(done)} are sent again${rest > 0 ? `; ${String(rest)} had none, or were refused` : ''}`,
    );
  };
  return (
    <div className="bulk" role="region" aria-label="Selected payments">
      <strong role="status">{payments(rows.length)} selected</strong>
      <May permissions={['CANCEL_PAYMENTS']}>
        <Button look="quiet" isDisabled={cancelable.length === 0} onPress={() => ask(true)}>
          Cancel
        </Button>
      </May>
      <May permissions={['MANAGE_WEBHOOKS']}>
        <Button look="quiet" isPending={isBusy} onPress={() => void resendAll()}>
          Send webhooks again
        </Button>
      </May>
      <Button
        look="quiet"
        onPress={() => download('turnpike-payments.csv', toCsv(COLUMNS, rows), 'text/csv;charset=utf-8')}
      >
        Export
      </Button>
      <Button look="quiet" onPress={onClear}>
        Clear
      </Button>
      <Confirm
        title={`Cancel ${payments(cancelable.length)}?`}
        action={`Cancel ${payments(cancelable.length)}`}
        refusal="Keep them"
        isDanger
        isOpen={isAsked}
        onClose={() => ask(false)}
        onConfirm={cancelAll}
      >
        <p>
          Customers can no longer pay them.
          {cancelable.length < rows.length &&
            ` The other ${payments(rows.length - cancelable.length)} cannot be canceled any more.`}
        </p>
      </Confirm>
    </div>
  );
}

/** Sends the newest event of a payment again; answers whether there was one and it was taken. */
function useResend(): (paymentId: string) => Promise<boolean> {
  const client = useClient();
  const [, resend] = useConfirmedMutation(ResendEventDocument);
  return async (paymentId) => {
    const { data } = await client.query(LastDeliveryDocument, { paymentId }, { requestPolicy: 'network-only' });
    const eventId = data?.webhookDeliveries.nodes[0]?.eventId;
    return eventId !== undefined && !(await resend({ eventId })).error;
  };
}
