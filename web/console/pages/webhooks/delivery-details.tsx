// A delivery beside the list: its attempts, the request of the last one as it was sent, and what to do about it.

import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useQuery } from 'urql';
import { SentRequestsDocument, type DeliveryRowFragment } from '../../generated/operations.ts';
import { announce } from '../../components/announcer.tsx';
import { Status } from '../../components/badge.tsx';
import { Button } from '../../components/forms/button.tsx';
import { Copy } from '../../components/copy.tsx';
import { Details } from '../../components/overlays/details.tsx';
import { Facts } from '../../components/overlays/sheet.tsx';
import { Loading, Problem } from '../../components/states.tsx';
import { Time } from '../../components/time.tsx';
import { AttemptStrip } from './attempt-strip.tsx';
import { curlOf, type RepeatedRequest } from './curl.ts';

interface DeliveryDetailsProps {
  /** It is closed while it is undefined. */
  readonly delivery: DeliveryRowFragment | undefined;
  /** On the payment's own page. */
  readonly isOfOnePayment: boolean;
  readonly onResend: (delivery: DeliveryRowFragment) => void;
  readonly onClose: () => void;
}

export function DeliveryDetails({ delivery, isOfOnePayment, onResend, onClose }: DeliveryDetailsProps): ReactNode {
  return (
    <Details
      title={delivery?.eventType ?? 'Delivery'}
      isOpen={delivery !== undefined}
      onClose={onClose}
      actions={delivery && <Button onPress={() => onResend(delivery)}>Resend</Button>}
    >
      {delivery && <Shown delivery={delivery} isOfOnePayment={isOfOnePayment} />}
    </Details>
  );
}

interface ShownProps {
  readonly delivery: DeliveryRowFragment;
  readonly isOfOnePayment: boolean;
}

function Shown({ delivery, isOfOnePayment }: ShownProps): ReactNode {
  const { eventId, deliveryId, paymentId, url, status, nextRetryAt, attemptLog } = delivery;
  return (
    <>
      <Facts
        rows={[
          ['Status', status === 'PENDING' ? 'Not tried yet' : <Status key="status" status={status} />],
          nextRetryAt === null ? null : ['Next attempt', <Time key="next" value={nextRetryAt} />],
          paymentId === null || isOfOnePayment
            ? null
            : [
                'Payment',
                <Link key="payment" href={`/payments/${paymentId}`}>
                  Open the payment
                </Link>,
              ],
          ['Event', <Copy key="event" value={eventId} label="event id" isShort />],
          ['Delivery', <Copy key="delivery" value={deliveryId} label="delivery id" isShort />],
        ]}
      />
      <p className="quietly broken">POST {url}</p>
      <section aria-label="Attempts">
        <h3>Attempts</h3>
        <AttemptStrip attempts={attemptLog} />
      </section>
      {delivery.attempts > 0 && <Request key={delivery.attempts} delivery={delivery} />}
    </>
  );
}

function Request({ delivery }: { readonly delivery: DeliveryRowFragment }): ReactNode {
  const { eventId, deliveryId, url } = delivery;
  const [{ data, error }, reload] = useQuery({
    query: SentRequestsDocument,
    variables: { eventId },
    requestPolicy: 'network-only',
  });
  const sent = data?.webhookDelivery?.deliveries.find((one) => one.deliveryId === deliveryId);
  const headers = sent?.requestHeaders ?? null;
  const body = sent?.requestBody ?? null;
  return (
    <section aria-label="Request">
      <div className="head">
        <h3>Request</h3>
        {headers !== null && body !== null && (
          <Button look="quiet" onPress={() => void copyCurl({ url, headers, body })}>
            Copy as curl
          </Button>
        )}
      </div>
      {error && <Problem error={error} onRetry={() => reload({ requestPolicy: 'network-only' })} />}
      {!sent && !error && <Loading lines={8} />}
      {headers && (
        <pre tabIndex={0} aria-label="Request headers">
          {headers.map(({ name, value }) => `${name}: ${value}`).join('\n')}
        </pre>
      )}
      {sent && !headers?.some(({ name }) => SIGNATURE.test(name)) && (
        <p className="quietly">The signature is not shown: the secret has changed since, or the event was erased.</p>
      )}
      {body !== null && (
        <pre tabIndex={0} aria-label="Request body">
          {body}
        </pre>
      )}
      {sent && body === null && <p className="quietly">The body was erased, or your role may not see it.</p>}
    </section>
  );
}

const SIGNATURE = /signature$|^btcpay-sig$/i;

async function copyCurl(request: RepeatedRequest): Promise<void> {
  try {
    await navigator.clipboard.writeText(curlOf(request));
    announce('Copied the command');
  } catch {
    announce('This browser does not let us copy: please select the request by hand');
  }
}
