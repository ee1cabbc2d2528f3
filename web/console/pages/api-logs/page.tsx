// The calls made with the merchant's keys, and the answers, with filters in the URL.

import { useState, type ReactNode } from 'react';
import { ApiLogsDocument } from '../../generated/operations.ts';
import { Button } from '../../components/forms/button.tsx';
import { Check } from '../../components/forms/checks.tsx';
import { DateField } from '../../components/forms/date-field.tsx';
import { Field } from '../../components/forms/field.tsx';
import { Select } from '../../components/forms/select.tsx';
import { ExactTime } from '../../components/exact-time.tsx';
import { useChoices, type Choices } from '../../components/hooks/use-choices.ts';
import { usePages } from '../../components/hooks/use-pages.ts';
import { useSearchOn } from '../../components/hooks/use-search-on.ts';
import { useTyped } from '../../components/hooks/use-typed.ts';
import { Filters } from '../../components/lists/filters.tsx';
import { inForce, ofChoice, ofDay, ofText, type FilterWords } from '../../components/lists/in-force.ts';
import { PageActions } from '../../components/page-head.tsx';
import { Sheet } from '../../components/overlays/sheet.tsx';
import { Empty, Loading, Problem } from '../../components/states.tsx';
import { Table, type Column } from '../../components/table.tsx';
import { Answer, CallDetails, type Call } from './call-details.tsx';
import '../../style/webhooks.css';

const METHODS = [['', 'All'], ...['GET', 'POST', 'PUT', 'DELETE', 'WS'].map((one) => [one, one] as const)] as const;
const CLASSES = [
  ['', 'All'],
  ['2', '2xx, done'],
  ['4', '4xx, refused'],
  ['5', '5xx, failed'],
] as const;

export default function ApiLogs(): ReactNode {
  const choices = useChoices();
  const { parameters, choose } = choices;
  const [shown, setShown] = useState<string | null>(null);
  const chosen = (name: string) => parameters.get(name) ?? '';
  const withSessions = chosen('sessions') === 'yes';
  const filter = {
    startDate: chosen('from') || null,
    endDate: chosen('to') || null,
    keyId: chosen('key') || null,
    method: chosen('method') || null,
    statusClass: Number(chosen('status')) || null,
    path: pathOf(chosen('path')),
    errorCode: chosen('error') || null,
    source: withSessions ? null : ('KEY' as const),
  };
  const key = JSON.stringify(filter);
  const pages = usePages({ query: ApiLogsDocument, variables: { filter }, read: (data) => data.apiLogs, keyOf });
  const { nodes, error, loadMore, isLoadingMore, refresh } = pages;
  const isGoingOn = useSearchOn(pages, key);
  const isOfDays = filter.startDate !== null || filter.endDate !== null;
  const isSearched = [...parameters].some(([name]) => !['from', 'to', 'sessions'].includes(name));
  return (
    <>
      <PageActions>
        <Button look="quiet" onPress={refresh}>
          Refresh
        </Button>
      </PageActions>
      <Sheet title="Calls">
        <CallFilters {...choices} />
        <Check
          words="Calls of signed-in people as well"
          defaultSelected={withSessions}
          onChange={(isOn) => choose('sessions', isOn ? 'yes' : '')}
        />
        {error && <Problem error={error} onRetry={refresh} />}
        {((!nodes && !error) || isGoingOn) && <Loading lines={6} />}
        {nodes?.length === 0 && !isGoingOn && (
          <Empty title={isSearched ? 'No calls match.' : isOfDays ? 'No calls in this period.' : 'No calls yet.'}>
            {loadMore ? (
              <Button look="quiet" isPending={isLoadingMore} onPress={loadMore}>
                Search older calls
              </Button>
            ) : (
              <p>Every call made with one of your keys is listed here within a second. Days are in UTC.</p>
            )}
          </Empty>
        )}
        {nodes && nodes.length > 0 && (
          <Table
            label="Calls"
            rows={nodes}
            keyOf={keyOf}
            columns={columns((call) => setShown(keyOf(call)))}
            onMore={loadMore}
            isLoadingMore={isLoadingMore}
          />
        )}
      </Sheet>
      <CallDetails call={nodes?.find((call) => keyOf(call) === shown)} onClose={() => setShown(null)} />
    </>
  );
}

/** What is pasted may be a whole URL. */
function pathOf(typed: string): string | null {
  if (typed === '') return null;
  const path = URL.canParse(typed) ? new URL(typed).pathname : typed;
  return path.startsWith('/') ? path : `/${path}`;
}

const WORDS: FilterWords = {
  path: ofText('Path'),
  method: ofChoice('Method', METHODS),
  status: ofChoice('Status', CLASSES),
  error: ofText('Error code'),
  key: ofText('Key'),
  from: ofDay('From'),
  to: ofDay('To'),
};

function CallFilters(choices: Choices): ReactNode {
  const { parameters, choose } = choices;
  const chosen = (name: string) => parameters.get(name) ?? '';
  const typed = {
    key: useTyped(chosen('key'), (value) => choose('key', value)),
    path: useTyped(chosen('path'), (value) => choose('path', value)),
    error: useTyped(chosen('error'), (value) => choose('error', value)),
  };
  const field = (label: string, name: keyof typeof typed, placeholder: string) => {
    const [value, onChange] = typed[name];
    return (
      <Field
        label={label}
        value={value}
        onChange={onChange}
        placeholder={placeholder}
        autoComplete="off"
        maxLength={200}
      />
    );
  };
  return (
    <Filters {...choices} inForce={inForce(parameters, WORDS)}>
      {field('Path', 'path', '/api/v1/payments')}
      <Select label="Method" options={METHODS} value={chosen('method')} onChange={(value) => choose('method', value)} />
      <Select label="Status" options={CLASSES} value={chosen('status')} onChange={(value) => choose('status', value)} />
      {field('Error code', 'error', '2001')}
      {field('Key', 'key', 'pk_…')}
      <DateField label="From" value={chosen('from')} onChange={(day) => choose('from', day)} max={chosen('to')} />
      <DateField label="To" value={chosen('to')} onChange={(day) => choose('to', day)} min={chosen('from')} />
    </Filters>
  );
}

const keyOf = ({ requestId, at }: Call) => `${requestId}/${at}`;

const columns = (onShow: (call: Call) => void): readonly Column<Call>[] => [
  { title: 'When', cell: ({ at }) => <ExactTime value={at} /> },
  {
    title: 'Call',
    cell: (call) => (
      <span className="call">
        <Button look="link" onPress={() => onShow(call)}>
          <code>
            {call.method} {call.path}
          </code>
        </Button>
        {call.operation !== null && <span className="quietly broken"> {call.operation}</span>}
      </span>
    ),
  },
  { title: 'Answer', cell: Answer },
  { title: 'Duration', isNumber: true, cell: ({ durationMs }) => `${durationMs.toLocaleString()} ms` },
  {
    title: 'Key',
    cell: ({ keyId }) =>
      keyId === null ? (
        <span className="whole">A session</span>
      ) : (
        <code className="whole" title={keyId}>
          {keyId.slice(0, 12)}…
        </code>
      ),
  },
];
