// The endpoints as cards: what each is, and how it does.

import { useState, type ReactNode } from 'react';
import { Link } from 'wouter';
import type { EndpointRowFragment, StatisticsRowFragment } from '../../generated/operations.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/forms/button.tsx';
import { PageActions } from '../../components/page-head.tsx';
import { Popup } from '../../components/overlays/popup.tsx';
import { Sheet } from '../../components/overlays/sheet.tsx';
import { ShownOnce } from '../../components/shown-once.tsx';
import { Empty, Loading, Problem } from '../../components/states.tsx';
import { EndpointActions } from './endpoint/actions.tsx';
import { NewEndpoint } from './endpoint/forms.tsx';
import { EndpointBadge, EndpointReason } from './endpoint/state.tsx';
import { Figures, LastFailure } from './figures.tsx';
import { Sparkline } from './sparkline.tsx';
import type { Endpoints as Known } from './use-endpoints.ts';

export function Endpoints({ endpoints, statistics, error, refresh }: Known): ReactNode {
  const [isMaking, setMaking] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  return (
    <>
      <PageActions>
        <Button onPress={() => setMaking(true)}>Add an endpoint</Button>
      </PageActions>
      <Sheet title="Endpoints">
        {error && <Problem error={error} onRetry={refresh} />}
        {!endpoints && !error && <Loading lines={6} />}
        {endpoints?.length === 0 && (
          <Empty title="No endpoints yet.">
            <p>
              An endpoint is an address of your server. Turnpike posts there when a payment succeeds, fails, expires or
              is refunded, and tries again until it is answered.
            </p>
          </Empty>
        )}
        {endpoints && endpoints.length > 0 && (
          <ul className="endpoints" aria-label="Endpoints">
            {endpoints.map((endpoint) => (
              <li key={endpoint.id}>
                <Card endpoint={endpoint} statistics={statistics.get(endpoint.id)} onChanged={refresh} />
              </li>
            ))}
          </ul>
        )}
      </Sheet>
      <Popup title="Add an endpoint" isOpen={isMaking} onClose={() => setMaking(false)}>
        <NewEndpoint
          hasMain={endpoints?.some(({ isPrimary }) => isPrimary) ?? true}
          onCancel={() => setMaking(false)}
          onMade={(made) => {
            setMaking(false);
            setSecret(made);
            refresh();
          }}
        />
      </Popup>
      <ShownOnce
        title="Your webhook secret"
        isOpen={secret !== null}
        onClose={() => setSecret(null)}
        values={[['Webhook secret', secret ?? '']]}
      >
        Your server checks with it that a webhook comes from here. It is the same for all your endpoints.
      </ShownOnce>
    </>
  );
}

interface CardProps {
  readonly endpoint: EndpointRowFragment;
  /** Undefined until they have loaded. */
  readonly statistics: StatisticsRowFragment | undefined;
  readonly onChanged: () => void;
}

function Card({ endpoint, statistics, onChanged }: CardProps): ReactNode {
  const { id, url, description, isPrimary } = endpoint;
  return (
    <article className="endpoint" aria-label={url}>
      <div className="endpoint-name">
        <h3>
          <Link href={`/webhooks/${id}`}>{description ?? url}</Link>
        </h3>
        <span className="badges">
          {isPrimary && <Badge tone="calm">Main</Badge>} <EndpointBadge endpoint={endpoint} />
        </span>
      </div>
      {description !== null && <p className="quietly broken">{url}</p>}
      <EndpointReason endpoint={endpoint} />
      <div className="endpoint-figures">
        <Figures statistics={statistics} />
        <Sparkline hours={statistics?.hours ?? []} />
      </div>
      <LastFailure statistics={statistics} />
      <EndpointActions endpoint={endpoint} onChanged={onChanged} onDeleted={onChanged} />
    </article>
  );
}
