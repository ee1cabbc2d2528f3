// One endpoint: how it does, its deliveries, and its settings. The tab is in the URL.

import { useState, type ReactNode } from 'react';
import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components';
import { Link, useLocation, useParams } from 'wouter';
import type { EndpointRowFragment, StatisticsRowFragment } from '../../../generated/operations.ts';
import { Badge } from '../../../components/badge.tsx';
import { Copy } from '../../../components/copy.tsx';
import { Select } from '../../../components/forms/select.tsx';
import { useChoices } from '../../../components/hooks/use-choices.ts';
import { Facts, Sheet } from '../../../components/overlays/sheet.tsx';
import { Empty, Loading, Problem } from '../../../components/states.tsx';
import { Time } from '../../../components/time.tsx';
import { Deliveries } from '../deliveries.tsx';
import { EndpointActions } from './actions.tsx';
import { EndpointBadge, EndpointReason } from './state.tsx';
import { wordsOfType } from '../event-types.ts';
import { Figure, LastFailure, millisecondsOf, rateOf } from '../figures.tsx';
import { Sparkline } from '../sparkline.tsx';
import { useEndpoints } from '../use-endpoints.ts';
import '../../../style/webhooks.css';

const TABS = [
  ['overview', 'Overview'],
  ['deliveries', 'Deliveries'],
  ['settings', 'Settings'],
] as const;
const SPANS = [
  ['24', 'Last 24 hours'],
  ['72', 'Last 3 days'],
  ['168', 'Last 7 days'],
] as const;

export default function EndpointPage(): ReactNode {
  const { id = '' } = useParams<{ id: string }>();
  const [span, setSpan] = useState('24');
  const { endpoints, statistics, error, refresh } = useEndpoints(Number(span));
  const [, navigate] = useLocation();
  const { parameters, choose } = useChoices();
  const endpoint = endpoints?.find((one) => one.id === id);
  if (error) return <Problem error={error} onRetry={refresh} />;
  if (!endpoints) return <Loading lines={8} />;
  if (!endpoint)
    return (
      <Empty title="There is no such endpoint.">
        <p>
          <Link href="/webhooks">All webhooks</Link>
        </p>
      </Empty>
    );
  return (
    <>
      <p className="endpoint-title">
        <strong className="broken">{endpoint.description ?? endpoint.url}</strong>{' '}
        {endpoint.isPrimary && <Badge tone="calm">Main</Badge>} <EndpointBadge endpoint={endpoint} />{' '}
        <Link href="/webhooks">All webhooks</Link>
      </p>
      <Tabs
        className="tabs"
        selectedKey={parameters.get('tab') ?? 'overview'}
        onSelectionChange={(tab) => choose('tab', tab === 'overview' ? '' : String(tab))}
      >
        <TabList className="tab-list" aria-label="The endpoint">
          {TABS.map(([tab, words]) => (
            <Tab key={tab} id={tab} className="tab">
              {words}
            </Tab>
          ))}
        </TabList>
        <TabPanel id="overview">
          <Overview endpoint={endpoint} statistics={statistics.get(id)} span={span} onSpan={setSpan} />
        </TabPanel>
        <TabPanel id="deliveries">
          <Deliveries endpointId={id} />
        </TabPanel>
        <TabPanel id="settings">
          <Settings endpoint={endpoint} onChanged={refresh} onDeleted={() => navigate('/webhooks')} />
        </TabPanel>
      </Tabs>
    </>
  );
}

interface OverviewProps {
  readonly endpoint: EndpointRowFragment;
  readonly statistics: StatisticsRowFragment | undefined;
  readonly span: string;
  readonly onSpan: (hours: string) => void;
}

function Overview({ endpoint, statistics, span, onSpan }: OverviewProps): ReactNode {
  const { successRate = null, p50Ms = null, p95Ms = null, succeeded = 0, failed = 0 } = statistics ?? {};
  return (
    <Sheet title="Attempts" actions={<Select label="Time" options={SPANS} value={span} onChange={onSpan} />}>
      <EndpointReason endpoint={endpoint} />
      <dl className="figures">
        <Figure name="Success" value={rateOf(successRate)} />
        <Figure name="Succeeded" value={succeeded.toLocaleString()} />
        <Figure name="Failed" value={failed.toLocaleString()} />
        <Figure name="Median" value={millisecondsOf(p50Ms)} />
        <Figure name="p95" value={millisecondsOf(p95Ms)} />
      </dl>
      <div className="tall">
        <Sparkline hours={statistics?.hours ?? []} />
      </div>
      <LastFailure statistics={statistics} />
    </Sheet>
  );
}

interface SettingsProps {
  readonly endpoint: EndpointRowFragment;
  readonly onChanged: () => void;
  readonly onDeleted: () => void;
}

function Settings({ endpoint, onChanged, onDeleted }: SettingsProps): ReactNode {
  const { id, url, description, events, createdAt } = endpoint;
  return (
    <Sheet title="Settings">
      <Facts
        rows={[
          ['Address', <Copy key="url" value={url} label="address" />],
          ['Note', description ?? '–'],
          ['Events', events.map(wordsOfType).join(', ')],
          ['Endpoint', <Copy key="id" value={id} label="endpoint id" isShort />],
          ['Created', <Time key="created" value={createdAt} />],
        ]}
      />
      <EndpointActions endpoint={endpoint} onChanged={onChanged} onDeleted={onDeleted} />
    </Sheet>
  );
}
