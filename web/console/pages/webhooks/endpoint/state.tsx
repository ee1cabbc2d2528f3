// What an endpoint is at the moment: on, failing or off, and why.

import type { ReactNode } from 'react';
import type { EndpointRowFragment } from '../../../generated/operations.ts';
import { Badge } from '../../../components/badge.tsx';
import { Time } from '../../../components/time.tsx';

type Endpoint = Pick<EndpointRowFragment, 'enabled' | 'disabledAt' | 'disabledReason' | 'failingSince'>;

export function EndpointBadge({ endpoint }: { readonly endpoint: Endpoint }): ReactNode {
  const { enabled, disabledReason, failingSince } = endpoint;
  if (!enabled) return <Badge tone={disabledReason === null ? 'calm' : 'bad'}>Off</Badge>;
  return failingSince === null ? <Badge tone="good">On</Badge> : <Badge tone="busy">Failing</Badge>;
}

/** Why and since when, in words; null for one that is simply on. */
export function EndpointReason({ endpoint }: { readonly endpoint: Endpoint }): ReactNode {
  const { enabled, disabledAt, disabledReason, failingSince } = endpoint;
  if (!enabled && disabledReason !== null)
    return (
      <p className="quietly">
        {disabledReason}
        {disabledAt !== null && (
          <>
            {', '}
            <Time value={disabledAt} />
          </>
        )}
      </p>
    );
  if (!enabled || failingSince === null) return null;
  return (
    <p className="quietly">
      Failing since <Time value={failingSince} />
    </p>
  );
}
