// Resends the deliveries that failed since a given time, one event after another.

import { useRef, useState, type ReactNode } from 'react';
import { useClient, type Client, type CombinedError } from 'urql';
import { errorCodeOf } from '../../client.ts';
import { messageOf } from '../../errors.ts';
import {
  DeliveriesOfEventDocument,
  FailedDeliveriesDocument,
  ResendEventDocument,
  type FailedDeliveriesQuery,
} from '../../generated/operations.ts';
import { Button } from '../../components/forms/button.tsx';
import { OperationForm, textOf } from '../../components/forms/operation-form.tsx';
import { Popup } from '../../components/overlays/popup.tsx';
import { Select } from '../../components/forms/select.tsx';

const HOUR_MS = 3_600_000;

/**
 * The list is ordered by the creation of deliveries, and each is tried for 72 hours at most (contract, section 7). Once
 * a delivery was last tried this long before the start of the period, all that follow it were last tried before the
 * period as well.
 */
const MARGIN_MS = 74 * HOUR_MS;

const SINCE = [
  ['1', 'The last hour'],
  ['24', 'The last 24 hours'],
  ['72', 'The last 3 days'],
  ['168', 'The last 7 days'],
  ['720', 'The last 30 days'],
] as const;

type Progress =
  | { readonly step: 'asking' }
  | { readonly step: 'sending'; readonly sent: number; readonly total: number | null }
  | { readonly step: 'done'; readonly sent: number; readonly error?: CombinedError };

export function ResendFailed({
  isOpen,
  onClose,
}: {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}): ReactNode {
  const client = useClient();
  const [progress, setProgress] = useState<Progress>({ step: 'asking' });
  const isWanted = useRef(true);
  const close = () => {
    isWanted.current = false;
    setProgress({ step: 'asking' });
    onClose();
  };
  const run = async (hours: number) => {
    isWanted.current = true;
    const show = (next: Progress) => isWanted.current && setProgress(next);
    let sent = 0;
    show({ step: 'sending', sent, total: null });
    try {
      const events = await findFailed(client, Date.now() - hours * HOUR_MS);
      for (const eventId of events) {
        if (!isWanted.current) return;
        show({ step: 'sending', sent, total: events.length });
        const { error } = await client.mutation(ResendEventDocument, { eventId }).toPromise();
        // An event that no longer has a destination (2001) does not stop the others.
        if (!error) sent += 1;
        else if (errorCodeOf(error) !== '2001') throw error;
      }
      show({ step: 'done', sent });
    } catch (error) {
      show({ step: 'done', sent, error: error as CombinedError });
    }
  };
  return (
    <Popup title="Resend what failed" isOpen={isOpen} onClose={close}>
      {progress.step === 'asking' && (
        <OperationForm
          action="Send them again"
          onCancel={close}
          onSubmit={(data) => {
            void run(Number(textOf(data, 'hours')));
            return Promise.resolve({});
          }}
        >
          <p>
            Every event that failed at one of its destinations is sent again to all its current destinations. Your
            servers can recognise duplicates by the event id.
          </p>
          <Select label="Last tried within" name="hours" options={SINCE} defaultValue="24" />
        </OperationForm>
      )}
      {progress.step !== 'asking' && (
        <div className="form">
          <p role="status">{wordsOf(progress)}</p>
          {progress.step === 'done' && progress.error && (
            <p className="fault" role="alert">
              {messageOf(progress.error)}
            </p>
          )}
          <div className="actions">
            <Button look={progress.step === 'done' ? 'main' : 'quiet'} onPress={close}>
              {progress.step === 'done' ? 'Close' : 'Stop'}
            </Button>
          </div>
        </div>
      )}
    </Popup>
  );
}

function wordsOf(progress: Exclude<Progress, { step: 'asking' }>): string {
  const { step, sent } = progress;
  if (step === 'sending')
    return progress.total === null
      ? 'Looking for what failed …'
      : `Sending ${String(sent + 1)} of ${String(progress.total)} …`;
  if (sent === 0) return progress.error ? 'Nothing was sent.' : 'There is nothing to resend in this period.';
  return sent === 1 ? '1 event is sent again.' : `${String(sent)} events are sent again.`;
}

/** The events, oldest first, that failed since `sinceMs` and that a destination still has not received. */
async function findFailed(client: Client, sinceMs: number): Promise<string[]> {
  const found = new Set<string>();
  let after: string | null = null;
  for (;;) {
    const page: FailedDeliveriesQuery = await ask(
      client.query(FailedDeliveriesDocument, { after }, NO_CACHE).toPromise(),
    );
    const { nodes, pageInfo } = page.webhookDeliveries;
    const lastAttempts = nodes.map(({ lastAttemptAt }) => (lastAttemptAt === null ? 0 : Date.parse(lastAttemptAt)));
    for (const [index, { eventId }] of nodes.entries()) if ((lastAttempts[index] ?? 0) >= sinceMs) found.add(eventId);
    if (!pageInfo.hasNextPage || lastAttempts.some((at) => at < sinceMs - MARGIN_MS)) break;
    after = pageInfo.endCursor;
  }
  const missing: string[] = [];
  for (const eventId of found) if (await isMissing(client, eventId)) missing.push(eventId);
  return missing.reverse();
}

/** Whether the newest delivery of an event to any destination failed; a failed one may have been resent since. */
async function isMissing(client: Client, eventId: string): Promise<boolean> {
  const { webhookDelivery } = await ask(client.query(DeliveriesOfEventDocument, { eventId }, NO_CACHE).toPromise());
  const newest = new Map<string, string>();
  // Newest first: the first of each destination is the one that counts.
  for (const { url, status } of webhookDelivery?.deliveries ?? []) if (!newest.has(url)) newest.set(url, status);
  return [...newest.values()].includes('FAILED');
}

const NO_CACHE = { requestPolicy: 'network-only' } as const;

async function ask<Data>(
  asked: Promise<{ data?: Data | undefined; error?: CombinedError | undefined }>,
): Promise<Data> {
  const { data, error } = await asked;
  if (error) throw error;
  if (data === undefined) throw new Error('An operation answered nothing');
  return data;
}
