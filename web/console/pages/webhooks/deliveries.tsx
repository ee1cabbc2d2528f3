// Deliveries, of all endpoints or of one, with filters in the URL and a button that resends the failed ones.

import { useEffect, useMemo, useState, type ReactNode } from 'react';
import type { DeliveryRowFragment, DeliveryStatus, EndpointRowFragment } from '../../generated/operations.ts';
import { wordsOf } from '../../components/badge.tsx';
import { Button } from '../../components/forms/button.tsx';
import { Field } from '../../components/forms/field.tsx';
import { Select } from '../../components/forms/select.tsx';
import { useChoices, type Choices } from '../../components/hooks/use-choices.ts';
import { useSearchOn } from '../../components/hooks/use-search-on.ts';
import { useTyped } from '../../components/hooks/use-typed.ts';
import { Filters } from '../../components/lists/filters.tsx';
import { inForce, ofChoice, ofText, type FilterWords } from '../../components/lists/in-force.ts';
import { useHeldRows } from '../../components/lists/use-held-rows.ts';
import { Sheet } from '../../components/overlays/sheet.tsx';
import { Empty, Loading, Problem } from '../../components/states.tsx';
import { DeliveryTable } from './delivery-table.tsx';
import { EVENT_TYPES } from './event-types.ts';
import { ResendFailed } from './resend-failed.tsx';
import { MOST_LISTED, useDeliveries, type DeliveryFilter } from './use-deliveries.ts';

const STATES: readonly DeliveryStatus[] = ['RETRYING', 'SUCCESS', 'FAILED', 'DISABLED'];
const STATUS_OPTIONS = [
  ['', 'All'],
  // Not from `wordsOf`, where PENDING is the status of a payment.
  ['PENDING', 'Not tried yet'],
  ...STATES.map((state) => [state, wordsOf(state)] as const),
] as const;
const TYPE_OPTIONS = [['', 'All'], ...EVENT_TYPES, ['webhook.test', 'Test']] as const;
const TIME_OPTIONS = [
  ['', 'Any time'],
  ['1', 'Last hour'],
  ['24', 'Last 24 hours'],
  ['72', 'Last 3 days'],
  ['168', 'Last 7 days'],
  ['720', 'Last 30 days'],
] as const;
const HOUR_MS = 3_600_000;

interface DeliveriesProps {
  /** To choose from. */
  readonly endpoints?: readonly EndpointRowFragment[] | undefined;
  /** The only endpoint whose deliveries are listed. */
  readonly endpointId?: string;
}

export function Deliveries({ endpoints = [], endpointId }: DeliveriesProps): ReactNode {
  const choices = useChoices();
  const { parameters } = choices;
  const [isResending, setResending] = useState(false);
  /** Each list that was asked for by "n new" is a list of its own. */
  const [turn, setTurn] = useState(0);
  const chosen = (name: string) => parameters.get(name) ?? '';
  const hours = Number(chosen('hours'));
  const since = useMemo(
    () => (hours > 0 ? new Date(Date.now() - hours * HOUR_MS).toISOString() : null),
    // Counted from the choice, so that the list stays one list.
    [hours],
  );
  const filter: DeliveryFilter = {
    status: (chosen('status') || null) as DeliveryStatus | null,
    eventId: chosen('event') || null,
    endpointId: endpointId ?? (chosen('endpoint') || null),
    eventType: chosen('type') || null,
    since,
  };
  const key = JSON.stringify(filter);
  return (
    <Sheet
      title="Deliveries"
      actions={
        <Button look="quiet" onPress={() => setResending(true)}>
          Resend failed
        </Button>
      }
    >
      <DeliveryFilters endpoints={endpointId === undefined ? endpoints : []} {...choices} />
      <List key={`${key} ${String(turn)}`} filter={filter} isAgain={turn > 0} onShow={() => setTurn(turn + 1)} />
      <ResendFailed isOpen={isResending} onClose={() => setResending(false)} />
    </Sheet>
  );
}

interface FiltersProps extends Choices {
  readonly endpoints: readonly EndpointRowFragment[];
}

function DeliveryFilters({ endpoints, ...choices }: FiltersProps): ReactNode {
  const { parameters, choose } = choices;
  const chosen = (name: string) => parameters.get(name) ?? '';
  const [eventId, typeEventId] = useTyped(chosen('event'), (id) => choose('event', id));
  const named = endpoints.map(({ id, url, description }) => [id, description ?? url] as const);
  const words: FilterWords = {
    ...(endpoints.length > 0 && { endpoint: ofChoice('Endpoint', named) }),
    type: ofChoice('Event', TYPE_OPTIONS),
    status: ofChoice('Status', STATUS_OPTIONS),
    hours: ofChoice('Time', TIME_OPTIONS),
    event: ofText('Event id'),
  };
  const select = (label: string, name: string, options: readonly (readonly [string, string])[]) => (
    <Select label={label} options={options} value={chosen(name)} onChange={(value) => choose(name, value)} />
  );
  return (
    <Filters {...choices} inForce={inForce(parameters, words)}>
      {endpoints.length > 0 && select('Endpoint', 'endpoint', [['', 'All'], ...named])}
      {select('Event', 'type', TYPE_OPTIONS)}
      {select('Status', 'status', STATUS_OPTIONS)}
      {select('Time', 'hours', TIME_OPTIONS)}
      <Field label="Event id" value={eventId} onChange={typeEventId} placeholder="evt_…" autoComplete="off" />
    </Filters>
  );
}

const keyOf = ({ deliveryId }: DeliveryRowFragment) => deliveryId;

interface ListProps {
  readonly filter: DeliveryFilter;
  /** Whether what was read before is out of date. */
  readonly isAgain: boolean;
  readonly onShow: () => void;
}

function List({ filter, isAgain, onShow }: ListProps): ReactNode {
  const pages = useDeliveries(filter);
  const { nodes, error, loadMore, isLoadingMore, refresh, news, isFull } = pages;
  const { rows, place } = useHeldRows({ rows: nodes, keyOf, of: pages.of, further: { news, onShow } });
  const isGoingOn = useSearchOn(pages, '');
  const isNarrowed = Object.values(filter).some((value) => value !== null);
  useEffect(() => {
    if (isAgain) refresh();
  }, [isAgain, refresh]);
  return (
    <>
      {error && <Problem error={error} onRetry={refresh} />}
      {((!nodes && !error) || isGoingOn) && <Loading lines={6} />}
      {rows?.length === 0 && !isGoingOn && (
        <Empty title={isNarrowed ? 'No deliveries match.' : 'Nothing has been delivered yet.'}>
          {loadMore ? (
            <Button look="quiet" isPending={isLoadingMore} onPress={loadMore}>
              Search older deliveries
            </Button>
          ) : (
            <p>Deliveries appear here as soon as a payment changes or you send a test event.</p>
          )}
        </Empty>
      )}
      {news > 0 && (
        <p className="news" role="status">
          <Button look="quiet" onPress={onShow}>
            {news > MOST_LISTED ? `More than ${String(MOST_LISTED)}` : String(news)} new, show
          </Button>
        </p>
      )}
      <div ref={place}>
        {rows && rows.length > 0 && (
          <DeliveryTable rows={rows} onMore={isFull ? undefined : loadMore} isLoadingMore={isLoadingMore} />
        )}
      </div>
      {isFull && (
        <p className="quietly">
          The newest {MOST_LISTED} are listed. Choose a time, an event or a status to find older ones.
        </p>
      )}
    </>
  );
}
