// The webhooks that the sandbox's own receiver got: each with its signature checked, and the body as it came.

import { useCallback, type ReactNode } from 'react';
import { useQuery } from 'urql';
import { DeliveryChangesDocument, ReceivedDocument } from '../generated/operations.ts';
import { Badge } from '../components/badge.tsx';
import { Copy } from '../components/copy.tsx';
import { Facts, Sheet } from '../components/overlays/sheet.tsx';
import { Empty, Loading, Problem } from '../components/states.tsx';
import { Time } from '../components/time.tsx';
import { useChanges } from '../components/hooks/use-changes.ts';
import { useThrottled } from '../components/hooks/use-throttled.ts';
import { useRefreshOnReturn } from '../components/hooks/use-pages.ts';

export default function Receiver(): ReactNode {
  const [{ data, error }, reload] = useQuery({ query: ReceivedDocument });
  const refresh = useCallback(() => reload({ requestPolicy: 'network-only' }), [reload]);
  const onChange = useThrottled(refresh);
  useRefreshOnReturn(refresh);
  useChanges(DeliveryChangesDocument, {}, onChange);
  if (error) return <Problem error={error} onRetry={refresh} />;
  if (!data) return <Loading lines={6} />;
  const { url, received } = data.webhookReceiver;
  return (
    <>
      <Sheet title="Receiver address">
        <p>
          Give this address as a payment’s callback URL, or make it a webhook endpoint. It keeps the newest 20 webhooks
          until the gateway restarts, and exists only in the sandbox.
        </p>
        <Copy value={url} label="receiver's address" />
      </Sheet>
      {received.length === 0 && (
        <Sheet title="Received">
          <Empty title="Nothing has arrived yet.">The first webhook is sent when a payment ends.</Empty>
        </Sheet>
      )}
      {received.map((webhook) => (
        <Sheet
          key={`${webhook.receivedAt}/${webhook.signature}`}
          title={webhook.type ?? 'Unverified webhook'}
          actions={webhook.isGenuine ? <Badge tone="good">Valid signature</Badge> : <Badge tone="bad">Refused</Badge>}
        >
          <Facts
            rows={[
              ['Received', <Time key="at" value={webhook.receivedAt} />],
              webhook.eventId ? ['Event', <Copy key="id" value={webhook.eventId} label="event id" isShort />] : null,
              webhook.problem ? ['Reason', webhook.problem] : null,
              ['X-PGW-Signature', <code key="signature">{webhook.signature ?? 'none'}</code>],
            ]}
          />
          <details>
            <summary>Body</summary>
            <pre tabIndex={0}>{pretty(webhook.body)}</pre>
          </details>
        </Sheet>
      ))}
    </>
  );
}

function pretty(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
