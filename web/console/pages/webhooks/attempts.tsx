// The attempts of one delivery: time, answer and duration.

import type { ReactNode } from 'react';
import type { DeliveryRowFragment } from '../../generated/operations.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/forms/button.tsx';
import { Copy } from '../../components/copy.tsx';
import { Popup } from '../../components/overlays/popup.tsx';
import { Facts } from '../../components/overlays/sheet.tsx';
import { Empty } from '../../components/states.tsx';
import { Time } from '../../components/time.tsx';

type Attempt = DeliveryRowFragment['attemptLog'][number];

interface AttemptsProps {
  /** The dialog is closed while it is undefined. */
  readonly delivery: DeliveryRowFragment | undefined;
  readonly onClose: () => void;
}

export function Attempts({ delivery, onClose }: AttemptsProps): ReactNode {
  return (
    <Popup title="Attempts" isWide isOpen={delivery !== undefined} onClose={onClose}>
      {delivery && (
        <div className="form">
          <Facts
            rows={[
              ['Event', <Copy key="event" value={delivery.eventId} label="event id" />],
              ['Delivery', <Copy key="delivery" value={delivery.deliveryId} label="delivery id" />],
            ]}
          />
          {delivery.attemptLog.length === 0 && <Empty title="It has not been tried yet." />}
          <ol className="attempts" reversed>
            {[...delivery.attemptLog].reverse().map((attempt) => (
              <li key={attempt.attempt}>
                <One attempt={attempt} />
              </li>
            ))}
          </ol>
          <div className="actions">
            <Button look="quiet" onPress={onClose}>
              Close
            </Button>
          </div>
        </div>
      )}
    </Popup>
  );
}

function One({ attempt }: { readonly attempt: Attempt }): ReactNode {
  const { at, url, responseCode, responseTimeMs, responseStart, error } = attempt;
  const isGood = responseCode !== null && responseCode >= 200 && responseCode < 300;
  return (
    <>
      <p>
        <Badge tone={isGood ? 'good' : 'bad'}>{responseCode ?? 'No answer'}</Badge> <Time value={at} />{' '}
        <span className="quietly">
          after {responseTimeMs} ms, from {url}
        </span>
      </p>
      {error !== null && <p className="fault">{error}</p>}
      {responseStart !== null && responseStart !== '' && (
        <pre tabIndex={0} aria-label="What was answered">
          {responseStart}
        </pre>
      )}
    </>
  );
}
